import { Problem } from '../../domain/errors.ts'
import type { ImportedPost } from '../../domain/post.ts'
import {
  FIRST_MS,
  makePostId,
  type PostId,
  SEQUENCES,
  shardOf,
  shardOfAuthor
} from '../../domain/post-id.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { ImportResult, PostStore } from '../../ports/store.ts'
import { emit, postEvent } from './emit.ts'
import { type Database, type Queries, statement } from './pool.ts'
import { mayWrite } from './rows.ts'

const AHEAD_MS = 5000
const ROUNDS = 1000

const statuses = statement(
  'import_authors',
  'select number, status from users where number = any($1::bigint[])'
)

const clock = statement(
  'import_clock',
  'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms'
)

/** Refuses when the clock is behind the shard of an author whose posts are made now. */
const shardClocks = statement(
  'import_shard_clocks',
  'select post_clock(s) from unnest($1::smallint[]) s'
)

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

/** @throws Problem time_out_of_range */
function checkTimes(posts: readonly ImportedPost[], now: number): void {
  for (const { createdAt } of posts) {
    if (createdAt === null) continue
    const fits = Number.isFinite(createdAt) && createdAt >= FIRST_MS && createdAt <= now + AHEAD_MS
    if (!fits)
      throw new Problem(
        'time_out_of_range',
        `The time ${createdAt} is before ${FIRST_MS} (1985) or more than 5 s after ${now} (now).`,
        { createdAt }
      )
  }
}

/** @throws Problem user_not_found, account_suspended, account_gone, clock_behind, time_out_of_range */
async function check(tx: Queries, posts: readonly ImportedPost[]): Promise<number> {
  const authors = [...new Set(posts.map(post => post.author))]
  const rows = await tx.rows<{ number: string; status: UserStatus }>(statuses, [authors])
  const found = new Map(rows.map(row => [Number(row.number), row.status]))
  for (const author of authors) mayWrite(author, found.get(author))
  const [time] = await tx.rows<{ ms: string }>(clock)
  const now = Number(time?.ms)
  checkTimes(posts, now)
  const shards = posts
    .filter(post => post.createdAt === null)
    .map(post => shardOfAuthor(post.author))
  if (shards.length > 0) await tx.rows(shardClocks, [[...new Set(shards)]])
  return now
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
  const now = await check(tx, posts)
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
    async importPosts(posts) {
      if (posts.length === 0) return []
      const results = await db.transaction('import_posts', [], tx => importAll(tx, posts))
      if (results.some(result => result.created)) db.wake()
      return results
    }
  }
}
