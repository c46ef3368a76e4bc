import { Problem } from '../domain/errors.ts'
import type { User } from '../domain/user.ts'
import type { PostStore, UserStore } from '../ports/store.ts'
import type { ImportBatch } from './check-batch.ts'
import type { ImportedLike } from './import-likes.ts'

export interface EntriesContext {
  readonly store: Pick<UserStore, 'usersByIds'> &
    Pick<PostStore, 'postsByIds' | 'postsByExternalIds'>
}

type Known = ReadonlyMap<string, User>

/** What the Store knows of a batch. @throws Problem account_suspended, account_gone, post_not_found */
export async function checkEntries(context: EntriesContext, batch: ImportBatch): Promise<void> {
  const { users = [], follows = [], posts = [], likes = [] } = batch
  const ids = [
    ...[...users.map(({ id }) => id), ...follows.map(({ follower }) => follower)],
    ...posts.map(({ author }) => author),
    ...likes.flatMap(({ user, author }) => (author === undefined ? [user] : [user, author]))
  ]
  const found = ids.length > 0 ? await context.store.usersByIds([...new Set(ids)]) : []
  const known = new Map(found.map(user => [user.id, user]))
  // The server key may change a suspended user's profile, but not write in their name.
  for (const [at, { id }] of users.entries()) checkGone(known, id, `users[${at}]`)
  for (const [at, { follower }] of follows.entries()) checkWriter(known, follower, `follows[${at}]`)
  for (const [at, { author }] of posts.entries()) checkWriter(known, author, `posts[${at}]`)
  for (const [at, { user }] of likes.entries()) checkWriter(known, user, `likes[${at}]`)
  await checkLiked(context, known, batch)
}

function checkGone(known: Known, id: string, entry: string): void {
  if (known.get(id)?.status !== 'gone') return
  throw new Problem(
    'account_gone',
    `${entry}: the account was deleted; its id "${id}" is not given out again.`
  )
}

function checkWriter(known: Known, id: string, entry: string): void {
  checkGone(known, id, entry)
  if (known.get(id)?.status !== 'suspended') return
  throw new Problem('account_suspended', `${entry}: "${id}" is suspended.`)
}

/** Each liked post is in the Store, deleted or not, or is one of the batch. */
async function checkLiked(
  { store }: EntriesContext,
  known: Known,
  { posts = [], likes = [] }: ImportBatch
): Promise<void> {
  const own = new Set(posts.map(({ author, externalId }) => nameOf(author, externalId)))
  const ids = likes.map(({ post }) => post).filter(post => post !== undefined)
  const stored = new Set(ids.length > 0 ? (await store.postsByIds(ids)).map(({ id }) => id) : [])
  const named = likes.flatMap(like => {
    const author = known.get(like.author ?? '')?.number
    const { externalId } = like
    if (author === undefined || externalId === undefined || own.has(likedName(like))) return []
    return [{ author, externalId, name: likedName(like) }]
  })
  const found = named.length > 0 ? await store.postsByExternalIds(named) : []
  const there = new Set(named.filter((_, at) => found[at]).map(({ name }) => name))
  for (const [at, like] of likes.entries()) {
    const name = likedName(like)
    if (like.post === undefined ? own.has(name) || there.has(name) : stored.has(like.post)) continue
    throw new Problem(
      'post_not_found',
      `likes[${at}] names no post, neither stored nor in the batch.`
    )
  }
}

function likedName({ author = '', externalId }: ImportedLike): string {
  return nameOf(author, externalId)
}

/** User ids have no spaces. */
function nameOf(author: string, externalId: string | undefined): string {
  return `${author} ${externalId}`
}
