import type { Page, Post } from '@fanwise/sdk'
import { BEGINNING, END, type PostId } from '../packages/server/src/domain/post-id.ts'
import type { Feed } from '../packages/server/src/feed.ts'
import type { Chance } from './chance.ts'
import type { Fact } from './ledger.ts'
import type { Outcome, World } from './world.ts'

/** One page as a reader got it: asked for at `from`, and looked at between two ids. */
interface Seen {
  readonly reader: number
  readonly posts: readonly Post[]
  readonly up: boolean
  readonly above: PostId
  readonly below: PostId
  readonly from: number
  readonly written?: Written | undefined
}

/** A post of the reader's and the commit that its answer named. */
export interface Written {
  readonly post: PostId
  readonly commit: string
}

const TRIES = 4

/** Reads again until a server answers; undefined when none does. */
export async function read<P extends Page<Post>>(
  world: World,
  chance: Chance,
  act: (feed: Feed) => Promise<P>
): Promise<{ page: P; from: number } | undefined> {
  for (let tries = 0; tries < TRIES || world.calm; tries++) {
    const server = world.api(chance)
    const from = world.now
    const outcome: Outcome<P> =
      server === null ? { kind: 'lost' } : await world.request(server, act)
    if (outcome.kind === 'done') return { page: outcome.value, from }
    if (outcome.kind === 'refused') return undefined
    await world.pause(chance.between(10, 1000))
  }
  return undefined
}

export interface WalkOptions {
  readonly limit: number
  /** ms that the reader takes to look at a page. */
  readonly pause: () => number
  /** What the reader's client knows of: every server has to show it. */
  readonly written?: Written | undefined
  /** Where the walk ends, and before where it begins; with `after` alone it goes up. */
  readonly bounds?: Bounds
}

export interface Bounds {
  readonly after?: PostId
  readonly before?: PostId
}

/** Follows a reader's cursor to its end, and judges every page. Undefined: the reader gave up. */
export async function walk(
  world: World,
  reader: number,
  { limit, pause, written, bounds = {} }: WalkOptions,
  chance: Chance
): Promise<PostId[] | undefined> {
  const id = world.users.get(reader) as string
  const ids: PostId[] = []
  const up = bounds.after !== undefined && bounds.before === undefined
  const last = up ? END : (bounds.after ?? BEGINNING)
  let cursor: string | undefined
  let place = up ? (bounds.after ?? BEGINNING) : (bounds.before ?? END)
  for (;;) {
    const query = { limit, ...(cursor === undefined ? bounds : { cursor }) }
    const session = written && { minCommit: written.commit }
    const got = await read(world, chance, feed => feed.as(id, session).feed(query))
    if (got === undefined) return undefined
    const { page, from } = got
    const end = world.endOf(page, reader, last)
    const [above, below] = up ? [place, end] : [end, place]
    judge(world, { reader, posts: page.items, up, above, below, from, written })
    ids.push(...page.items.map(post => post.id))
    if (page.nextCursor === null) return ids
    cursor = page.nextCursor
    place = end
    await world.pause(pause())
  }
}

/** What holds for every page at any time. */
function judge(world: World, seen: Seen): void {
  const { ledger } = world
  const { reader, posts, up, above, below, from } = seen
  const ids = posts.map(({ id }) => id)
  world.say(`page of ${reader} ${up ? 'up' : 'down'} ${above} to ${below}: ${ids.join(' ')}`)
  const falling = up ? ids.toReversed() : ids
  // The last id of a page may be where it ends, never where it began.
  const within = (id: PostId) => (up ? id > above && id <= below : id >= above && id < below)
  if (falling.some((id, i) => i > 0 && id >= (falling[i - 1] as PostId)) || !ids.every(within))
    world.fail('a page is not in strict order between its bounds', seen)
  if (above >= below) world.fail('a page gets nowhere', seen)
  judgeShown(world, reader, posts, from)
  if (world.feeds.doubted(from) || world.gone.has(reader)) return
  const shown = new Set(ids)
  for (const record of ledger.posts.values()) {
    const { id } = record
    if (id >= below || id <= above || shown.has(id)) continue
    const known = record.id === seen.written?.post ? { ...record, owed: false } : record
    if (ledger.demands(reader, known, from, world.now))
      world.fail('a page lacks a post', { lacks: record, ...seen })
  }
}

/** Nothing is shown that was forbidden since the page was asked for at `from`. */
export function judgeShown(
  world: World,
  reader: number,
  posts: readonly Post[],
  from: number
): void {
  for (const post of posts) {
    const record = world.record(post.id, world.numberOf(post.author.id))
    const fact = world.ledger.forbids(reader, record, from, world.now)
    if (fact !== null) world.fail('a page shows what it must not', { fact, reader, posts, from })
    const known = world.texts.get(post.id)
    if (known !== undefined && !known.allows(post.content, from))
      world.fail('a page shows an old text', { post, from })
  }
}

/** Looks at an author's own posts. */
export async function visit(
  world: World,
  reader: number,
  author: number,
  chance: Chance
): Promise<void> {
  const [id, whose] = [world.users.get(reader) as string, world.users.get(author) as string]
  const got = await read(world, chance, feed => feed.as(id).userPosts(whose, { limit: 5 }))
  const from = (got?.from ?? 0) - 100
  const holds = (fact: Fact) => world.ledger.holds(fact, true, from, world.now)
  const secret = holds(`private ${author}`) && holds(`apart ${reader} ${author}`)
  for (const { id } of got?.page.items ?? []) {
    const facts: Fact[] = [`gone ${id}`, `hide ${reader} ${id}`]
    const found = facts.find(holds) ?? (blocked(holds, reader, author) || (secret && 'private'))
    if (found) world.fail('a timeline shows what it must not', { found, id, reader, author, from })
  }
}

function blocked(holds: (fact: Fact) => boolean, one: number, other: number): Fact | false {
  const facts: Fact[] = [`block ${one} ${other}`, `block ${other} ${one}`]
  return facts.find(holds) ?? false
}
