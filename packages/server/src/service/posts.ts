import type {
  FeedApi,
  NewPost,
  PageQuery,
  Post,
  PostChange,
  UserId,
  WriteOptions
} from '@fanwise/sdk'
import { Problem } from '../domain/errors.ts'
import type { Post as StoredPost } from '../domain/post.ts'
import type { PostId } from '../domain/post-id.ts'
import type { User } from '../domain/user.ts'
import { presentPost } from '../page/present.ts'
import { presentFound } from '../page/present-found.ts'
import { changeLike } from '../publish/likes.ts'
import { createPost, deletePost, editPost } from '../publish/posts.ts'
import { changeHide } from '../publish/relations.ts'
import { checkPost } from '../publish/validate.ts'
import type { ServiceContext } from './context.ts'
import { homeReads } from './home.ts'
import { pageOfPosts } from './pages.ts'
import { openWrite, unlessDone } from './request-key.ts'
import { visibleTo } from './visible.ts'
import { parse } from './wire.ts'

/** Nobody: a reader who never wrote has no number, no rules and no feed. */
const NOBODY = 0

/** Posts of one request. */
const IDS_MAX = 100

type PostMethods = 'createPost' | 'editPost' | 'deletePost' | 'like' | 'unlike' | 'hide' | 'unhide'

/** What a user does to posts. */
export function postWrites(context: ServiceContext, id: UserId): Pick<FeedApi, PostMethods> {
  const { pager, committed } = context
  const write: Write = (options, ...request) => openWrite(context, id, options, ...request)
  const existing = (post: PostId) => beforeFirstWrite(context, id, post)
  /** Whoever may not see a post does not learn that it exists. */
  const own = async <T>({ number }: User, post: PostId, change: () => Promise<T>): Promise<T> => {
    try {
      return await change()
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_author') await pager.post(number, post)
      throw error
    }
  }
  return {
    async createPost(post: NewPost, options) {
      if (post.mediaIds !== undefined)
        throw new Problem(
          'media_not_enabled',
          'mediaIds: this server stores no media; leave the field out.'
        )
      const { content, attrs = {} } = post
      checkPost({ content, attrs }, context.limits)
      const { user, key } = await write(options, 'createPost', post)
      const { value } = await createPost(context, { author: user.number, content, attrs }, key)
      committed({ kind: 'post', author: user.number, post: value.post.id })
      return parse<Post>(presentPost(value, 0, false))
    },
    async editPost(post: PostId, change: PostChange, options) {
      await existing(post)
      const { user, key } = await write(options, 'editPost', post, change)
      const edit = () => editPost(context, user.number, post, change, key)
      const { value } = await own(user, post, edit)
      committed({ kind: 'post', author: user.number, post })
      return parse<Post>(await presentEdited(context, user, value))
    },
    async deletePost(post, options) {
      await existing(post)
      const { user, key } = await write(options, 'deletePost', post)
      await own(user, post, () => deletePost(context, user.number, post, key))
      committed({ kind: 'post', author: user.number, post })
    },
    ...changes(context, write, existing)
  }
}

type Write = (
  options: WriteOptions | undefined,
  ...request: readonly unknown[]
) => ReturnType<typeof openWrite>

/** Whoever writes for the first time is not made by asking for a post that is not there. @throws Problem post_not_found */
async function beforeFirstWrite(
  { directory, pager }: ServiceContext,
  id: UserId,
  post: PostId
): Promise<void> {
  if (!(await directory.findMany([id])).has(id)) await pager.post(NOBODY, post)
}

/** As this edit left the post, whatever came after it. */
async function presentEdited(
  { store }: ServiceContext,
  author: User,
  post: StoredPost
): Promise<Uint8Array> {
  const [counts, liked] = await Promise.all([
    store.likeCounts([post.id]),
    store.likedBy(author.number, [post.id])
  ])
  return presentPost({ post, author }, counts.get(post.id) ?? 0, liked.length > 0)
}

function changes(context: ServiceContext, write: Write, existing: (post: PostId) => Promise<void>) {
  /** Only what the user may see can be liked or hidden. */
  const like = (change: 'like' | 'unlike') => async (post: PostId, options?: WriteOptions) => {
    if (change === 'like') await existing(post)
    const { user, key } = await write(options, change, post)
    if (change === 'like')
      await unlessDone(context, key, () => context.pager.post(user.number, post))
    await changeLike(context, change, user.number, post, key)
  }
  const hide = (change: 'hide' | 'unhide') => async (post: PostId, options?: WriteOptions) => {
    if (change === 'hide') await existing(post)
    const { user, key } = await write(options, change, post)
    if (change === 'hide')
      await unlessDone(context, key, () => context.pager.post(user.number, post))
    await changeHide(context, change, user.number, post, key)
    context.committed({ kind: 'rules', reader: user.number })
  }
  return { like: like('like'), unlike: like('unlike'), hide: hide('hide'), unhide: hide('unhide') }
}

/** Pages and posts as one user sees them, as JSON bytes. */
export function postReads(context: ServiceContext, id: UserId) {
  const { directory, pager, cursors, traces } = context
  return {
    ...homeReads(context, id),
    async userPostsBytes(author: UserId, query: PageQuery = {}): Promise<Uint8Array> {
      const viewer = await directory.reader(id)
      const reader = viewer?.number ?? NOBODY
      const owner = (await visibleTo(context, viewer, author)).number
      const listing = { list: 'author', reader, owner } as const
      return pageOfPosts(cursors, listing, query, at =>
        pager.timeline(reader, owner, { ...at, traces })
      )
    },
    async postBytes(post: PostId): Promise<Uint8Array> {
      const reader = (await directory.reader(id))?.number ?? NOBODY
      return pager.post(reader, post, traces)
    },
    async postsBytes(ids: readonly PostId[]): Promise<Uint8Array> {
      if (ids.length < 1 || ids.length > IDS_MAX)
        throw new Problem('invalid_request', `ids: 1 to ${IDS_MAX} posts, not ${ids.length}.`)
      const reader = (await directory.reader(id))?.number ?? NOBODY
      return presentFound(ids, await pager.posts(reader, ids, traces))
    }
  }
}
