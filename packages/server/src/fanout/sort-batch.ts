import type { FeedEvent, LoggedEvent } from '../domain/event.ts'
import { BACKLOG_MS } from '../domain/limits.ts'
import { type PostId, timeOf } from '../domain/post-id.ts'
import type { Relation } from '../ports/store.ts'

/** Post ids of an author, oldest first, each once. */
export type IdsByAuthor = ReadonlyMap<number, readonly PostId[]>

/** What the events of one batch ask for, each thing once. */
export interface Work {
  readonly posts: IdsByAuthor
  /** Posts that are too old to be pushed, and their authors. */
  readonly oldPosts: IdsByAuthor
  readonly backlog: ReadonlySet<number>
  readonly deletes: IdsByAuthor
  readonly relations: readonly Relation[]
  /** Readers whose rules changed. */
  readonly rules: ReadonlySet<number>
  /** What every process has to forget. */
  readonly changedPosts: ReadonlySet<PostId>
  readonly changedUsers: ReadonlySet<number>
}

/** `now` in Unix ms decides which posts are backlog. @throws Error on what is no event: it can never be handled. */
export function sortBatch(events: readonly LoggedEvent[], now: number): Work {
  const posts = new Map<number, Set<PostId>>()
  const deletes = new Map<number, Set<PostId>>()
  const relations = new Map<string, Relation>()
  const oldPosts = new Map<number, Set<PostId>>()
  const rules = new Set<number>()
  const changedPosts = new Set<PostId>()
  const changedUsers = new Set<number>()
  const sort: Sorters = {
    post: event => note(timeOf(event.post) < now - BACKLOG_MS ? oldPosts : posts, event),
    edit: event => changedPosts.add(event.post),
    delete(event) {
      changedPosts.add(event.post)
      note(deletes, event)
    },
    relation: ({ reader, author }) => relations.set(`${reader} ${author}`, { reader, author }),
    rules: event => rules.add(event.reader),
    user: event => changedUsers.add(event.author)
  }
  for (const { event } of events) sortOne(sort, event)
  return {
    posts: inOrder(posts),
    oldPosts: inOrder(oldPosts),
    backlog: new Set(oldPosts.keys()),
    deletes: inOrder(deletes),
    relations: [...relations.values()],
    rules,
    changedPosts,
    changedUsers
  }
}

type Sorters = {
  readonly [T in FeedEvent['type']]: (event: Extract<FeedEvent, { type: T }>) => unknown
}

function sortOne<T extends FeedEvent['type']>(
  sorters: Sorters,
  event: Extract<FeedEvent, { type: T }>
): void {
  const sort = sorters[event.type as T]
  if (sort === undefined) throw new Error(`unknown type of event: ${event.type}`)
  sort(event)
}

function note(
  byAuthor: Map<number, Set<PostId>>,
  { author, post }: { readonly author: number; readonly post: PostId }
): void {
  const ids = byAuthor.get(author) ?? new Set()
  byAuthor.set(author, ids.add(post))
}

function inOrder(byAuthor: ReadonlyMap<number, ReadonlySet<PostId>>): IdsByAuthor {
  return new Map([...byAuthor].map(([author, ids]) => [author, [...ids].sort()]))
}
