import { Problem } from '../../../domain/errors.ts'
import type { NewPost, Post, PostChange } from '../../../domain/post.ts'
import { END, type PostId } from '../../../domain/post-id.ts'
import { unknownPost } from '../../../domain/unknown.ts'
import type { Extent, PostStore, Published } from '../../../ports/store.ts'
import { type Context, isActive, mayWrite, toUser } from './context.ts'
import { insertPost } from './insert-post.ts'
import { keysAbout } from './keys.ts'
import { externalKey } from './tables.ts'
import type { Transaction } from './transactions.ts'
import { withoutText } from './words.ts'

function publish(context: Context, tx: Transaction, made: NewPost): Published {
  const { tables, ids } = context
  mayWrite(tables, made.author)
  const author = tables.users.get(made.author)
  if (author === undefined) throw new Problem('user_not_found')
  const post = insertPost(context, tx, made, ids.drawNow(made.author, tx.now))
  return { post, author: toUser(tables, author) }
}

/** @throws Problem post_not_found, not_author, account_suspended, account_gone */
function own({ tables }: Context, author: number, id: PostId, deletedToo: boolean): Post {
  const post = tables.posts.get(id)
  const mine = post?.author === author
  if (post === undefined || (post.deleted && !(mine && deletedToo))) throw unknownPost(id)
  if (!mine) throw new Problem('not_author')
  mayWrite(tables, author)
  return post
}

function edit(context: Context, tx: Transaction, post: Post, change: PostChange): Post {
  const { content = post.content, attrs = post.attrs } = change
  const edited = { ...post, content, attrs, editedAt: tx.now }
  tx.change(() => context.tables.posts.set(post.id, edited))
  tx.emit({ type: 'edit', author: post.author, post: post.id })
  return edited
}

/** The words go, the row stays: it says that the post was there. */
export function tombstone({ tables }: Context, tx: Transaction, post: Post): void {
  tx.change(() => {
    tables.posts.set(post.id, { ...post, content: '', attrs: {}, deleted: true })
    const timeline = tables.timelines.get(post.author) ?? []
    tables.timelines.set(
      post.author,
      timeline.filter(id => id !== post.id)
    )
    tables.userDeltas.add({ user: post.author, posts: -1 })
    for (const name of keysAbout(tables, post.id)) {
      const row = tables.keys.get(name)
      if (row !== undefined) tables.keys.set(name, withoutText(row))
    }
  })
  tx.emit({ type: 'delete', author: post.author, post: post.id })
}

export function postLock(id: PostId): string {
  return `post ${id}`
}

/** Live ids of an author strictly between, newest first. */
function between(
  { tables }: Context,
  author: number,
  [above, below]: readonly [PostId, PostId],
  limit: number,
  extent: Extent
): PostId[] {
  if (!reaches(tables, author, extent)) return []
  const ids = tables.timelines.get(author) ?? []
  const found: PostId[] = []
  for (let i = ids.length - 1; i >= 0 && found.length < limit; i--) {
    const id = ids[i]
    if (id === undefined || id <= above) break
    if (id < below) found.push(id)
  }
  return found
}

function reaches(tables: Context['tables'], author: number, extent: Extent): boolean {
  if (isActive(tables, author)) return true
  return extent === 'kept' && tables.users.get(author)?.status === 'suspended'
}

export function posts(context: Context): Omit<PostStore, 'importPosts'> {
  const { tables, transactions } = context
  return {
    publish: (post, key) =>
      transactions.write(
        key,
        [],
        tx => publish(context, tx, post),
        ({ post: { id } }) => id
      ),

    editPost: (author, id, change, key) =>
      transactions.write(
        key,
        [postLock(id)],
        tx => edit(context, tx, own(context, author, id, false), change),
        post => post.id
      ),

    deletePost: (author, id, key) =>
      transactions.write(key, [postLock(id)], tx => {
        const post = own(context, author, id, true)
        if (!post.deleted) tombstone(context, tx, post)
        return null
      }),

    postsByIds: async ids =>
      [...new Set(ids)].map(id => tables.posts.get(id)).filter(post => post !== undefined),

    postsByExternalIds: async keys =>
      keys.map(key => tables.externalIds.get(externalKey(key.author, key.externalId)) ?? null),

    idsByAuthor: async (author, below, above, limit, extent = 'shown') =>
      between(context, author, [above, below], limit, extent),

    homeIds: async (reader, below, limit, extent = 'shown') =>
      [reader, ...tables.follows.from(reader).keys()]
        .flatMap(author => between(context, author, ['0', below], limit, extent))
        .sort((a, b) => (a > b ? -1 : 1))
        .slice(0, limit),

    newerHomeIds: async (reader, above, limit) =>
      [reader, ...tables.follows.from(reader).keys()]
        .flatMap(author =>
          between(context, author, [above, END], Number.POSITIVE_INFINITY, 'shown')
        )
        .sort()
        .slice(0, limit)
  }
}
