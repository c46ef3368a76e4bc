import type { NewPost, Post } from '../../../domain/post.ts'
import type { PostId } from '../../../domain/post-id.ts'
import type { Context } from './context.ts'
import type { Transaction } from './transactions.ts'

/** A post with its place in the timeline, its count and its event. */
export function insertPost(
  { tables, ids }: Context,
  tx: Transaction,
  made: NewPost,
  id: PostId
): Post {
  const { author, content, attrs } = made
  const post = { id, author, content, attrs, editedAt: null, deleted: false }
  tx.change(() => {
    tables.posts.set(id, post)
    tables.timelines.set(author, inserted(tables.timelines.get(author) ?? [], id))
    tables.userDeltas.add({ user: author, posts: 1 })
    ids.committed(id)
  })
  tx.emit({ type: 'post', author, post: id })
  return post
}

/** Ascending; most ids go to the end. */
function inserted(ids: readonly PostId[], id: PostId): readonly PostId[] {
  return ids.toSpliced(ids.findLastIndex(other => other < id) + 1, 0, id)
}
