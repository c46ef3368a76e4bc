import { Problem } from '../../domain/errors.ts'
import type { ImportedPost } from '../../domain/post.ts'
import { makePostId, type PostId, SEQUENCES, shardOf, shardOfAuthor } from '../../domain/post-id.ts'
import type { ImportResult, PostStore } from '../../ports/store.ts'
import { emit, postEvent } from './emit.ts'
import { write } from './idempotency.ts'
import { checkImport } from './import-checks.ts'
import { type Database, type Queries, statement } from './pool.ts'

const ROUNDS = 1000

const sequences = statement(
  'import_sequences',
  `select (nextval('post_seq') % ${SEQUENCES})::int as seq from generate_series(1, $1::int)`
)

const known = statement(
  'import_known',
  `select w.place::int as place, p.id::text as id
   from unnest($1::bigint[], $2::text[], $3::int[]) w (author, external_id, place)
   join posts p on p.shard = shard_of_author(w.author)
     and p.author = w.author and p.external_id = w.external_id`
)

const insert = statement(
  'import_insert',
  `with posted as (
     insert into posts (shard, id, author, external_id, content, attrs)
     select * from unnest(
       $1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::jsonb[])
     on conflict do nothing returning author, id
   ), counted as (
     insert into user_deltas (user_number, posts)
     select author, count(*) from posted group by author
   ), events as (
     ${emit(`select ${postEvent('post', 'author', 'id')} from posted order by id`)}
   )
   select id::text as id from posted`
)

/** A post on its way in; `ms` moves on as long as its id is taken. */
interface Draft {
  readonly place: number
  readonly post: ImportedPost
  readonly seq: number
  ms: number
}

function externalKey(post: ImportedPost): string | undefined {
  return post.externalId === null ? undefined : `${post.author} ${post.externalId}`
}

/** One draft for each post that the batch names: a repeated external id belongs to the first. */
async function draftsOf(
  tx: Queries,
  posts: readonly ImportedPost[],
  now: number
): Promise<Draft[]> {
  const rows = await tx.rows<{ seq: number }>(sequences, [posts.length])
  const seen = new Set<string>()
  const drafts: Draft[] = []
  for (const [place, post] of posts.entries()) {
    const key = externalKey(post)
    if (key !== undefined && seen.has(key)) continue
    if (key !== undefined) seen.add(key)
    drafts.push({ place, post, seq: rows[place]?.seq ?? 0, ms: Math.floor(post.createdAt ?? now) })
  }
  return drafts
}

function idOf(draft: Draft): PostId {
  return makePostId(draft.ms, shardOfAuthor(draft.post.author), draft.seq)
}

/** Inserts in one order, so that two imports of the same posts wait for each other but never in a circle. */
async function insertDrafts(tx: Queries, byId: ReadonlyMap<PostId, Draft>): Promise<Set<PostId>> {
  const rows = [...byId].sort(
    ([idA, a], [idB, b]) =>
      a.post.author - b.post.author ||
      compare(a.post.externalId ?? '', b.post.externalId ?? '') ||
      compare(idA, idB)
  )
  const made = await tx.rows<{ id: PostId }>(insert, [
    rows.map(([id]) => shardOf(id)),
    rows.map(([id]) => id),
    rows.map(([, { post }]) => post.author),
    rows.map(([, { post }]) => post.externalId),
    rows.map(([, { post }]) => post.content),
    rows.map(([, { post }]) => JSON.stringify(post.attrs))
  ])
  return new Set(made.map(row => row.id))
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Settles the drafts whose external id is there already; returns the others. */
async function dropKnown(
  tx: Queries,
  drafts: readonly Draft[],
  results: Map<number, ImportResult>
): Promise<Draft[]> {
  const named = drafts.filter(draft => draft.post.externalId !== null)
  if (named.length > 0) {
    const rows = await tx.rows<{ place: number; id: PostId }>(known, [
      named.map(draft => draft.post.author),
      named.map(draft => draft.post.externalId),
      named.map(draft => draft.place)
    ])
    for (const { place, id } of rows) results.set(place, { id, created: false })
  }
  return drafts.filter(draft => !results.has(draft.place))
}

/** Gives each draft the next free ms until all are in. */
async function insertAll(
  tx: Queries,
  drafts: readonly Draft[],
  results: Map<number, ImportResult>
): Promise<void> {
  let open = await dropKnown(tx, drafts, results)
  for (let round = 0; open.length > 0; round++) {
    if (round === ROUNDS) throw new Problem('unavailable', 'No free id was found for a post.')
    const byId = new Map<PostId, Draft>()
    for (const draft of open) {
      while (byId.has(idOf(draft))) draft.ms++
      byId.set(idOf(draft), draft)
    }
    const made = await insertDrafts(tx, byId)
    for (const id of made) results.set(byId.get(id)?.place ?? -1, { id, created: true })
    open = await dropKnown(
      tx,
      open.filter(draft => !results.has(draft.place)),
      results
    )
    for (const draft of open) draft.ms++
  }
}

async function importAll(
  tx: Queries,
  posts: readonly ImportedPost[]
): Promise<readonly ImportResult[]> {
  const now = await checkImport(tx, posts)
  const results = new Map<number, ImportResult>()
  const drafts = await draftsOf(tx, posts, now)
  await insertAll(tx, drafts, results)
  const firsts = new Map(drafts.map(draft => [externalKey(draft.post), draft.place]))
  return posts.map((post, place) => {
    const own = results.get(place)
    const first = results.get(firsts.get(externalKey(post)) ?? -1)
    if (own !== undefined) return own
    if (first !== undefined) return { id: first.id, created: false }
    throw new Error(`The post at ${place} was not imported.`)
  })
}

export function importPosts(db: Database): Pick<PostStore, 'importPosts'> {
  return {
    async importPosts(posts, key) {
      if (posts.length === 0) return []
      return (await write(db, { name: 'import_posts', key }, tx => importAll(tx, posts))).value
    }
  }
}
