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
import type { PostId } from '../domain/post-id.ts'
import { presentPost } from '../page/present.ts'
import { changeLike } from '../publish/likes.ts'
import { createPost, deletePost, editPost } from '../publish/posts.ts'
import { changeHide } from '../publish/relations.ts'
import type { ServiceContext } from './context.ts'
import { EMPTY_PAGE, pageOfPosts } from './pages.ts'
import { requestKey } from './request-key.ts'
import { parse } from './wire.ts'

/** Nobody: a reader who never wrote has no number, no rules and no feed. */
const NOBODY = 0

type PostMethods = 'createPost' | 'editPost' | 'deletePost' | 'like' | 'unlike' | 'hide' | 'unhide'

/** What a user does to posts. */
export function postWrites(context: ServiceContext, id: UserId): Pick<FeedApi, PostMethods> {
  const { directory, pager } = context
  const write = async (options: WriteOptions | undefined, ...request: readonly unknown[]) => {
    const user = await directory.writer(id)
    return { user: user.number, key: requestKey(user.number, options, ...request) }
  }
  /** Whoever may not see a post does not learn that it exists. */
  const own = async (user: number, post: PostId, change: () => Promise<unknown>) => {
    try {
      await change()
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_author') await pager.post(user, post)
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
      const { user, key } = await write(options, 'createPost', post)
      const { value } = await createPost(context, { author: user, content, attrs }, key)
      return parse<Post>(presentPost(value, 0, false))
    },
    async editPost(post: PostId, change: PostChange, options) {
      const { user, key } = await write(options, 'editPost', post, change)
      await own(user, post, () => editPost(context, user, post, change, key))
      return parse<Post>(await pager.post(user, post))
    },
    async deletePost(post, options) {
      const { user, key } = await write(options, 'deletePost', post)
      await own(user, post, () => deletePost(context, user, post, key))
    },
    ...changes(context, write)
  }
}

type Write = (
  options: WriteOptions | undefined,
  ...request: readonly unknown[]
) => Promise<{ user: number; key: ReturnType<typeof requestKey> }>

function changes(context: ServiceContext, write: Write) {
  /** Only what the user may see can be liked or hidden. */
  const like = (change: 'like' | 'unlike') => async (post: PostId, options?: WriteOptions) => {
    const { user, key } = await write(options, change, post)
    if (change === 'like') await context.pager.post(user, post)
    await changeLike(context, change, user, post, key)
  }
  const hide = (change: 'hide' | 'unhide') => async (post: PostId, options?: WriteOptions) => {
    const { user, key } = await write(options, change, post)
    if (change === 'hide') await context.pager.post(user, post)
    await changeHide(context, change, user, post, key)
  }
  return { like: like('like'), unlike: like('unlike'), hide: hide('hide'), unhide: hide('unhide') }
}

/** Pages and posts as one user sees them, as JSON bytes. */
export function postReads(context: ServiceContext, id: UserId) {
  const { directory, pager, cursors, seen } = context
  return {
    async feedBytes(query: PageQuery = {}): Promise<Uint8Array> {
      const user = await directory.reader(id)
      if (user === undefined) return emptyPage(query, id)
      seen(user.number)
      const listing = { list: 'home', reader: user.number, owner: user.number } as const
      return pageOfPosts(cursors, listing, query, at => pager.home(user.number, at))
    },
    async userPostsBytes(author: UserId, query: PageQuery = {}): Promise<Uint8Array> {
      const reader = (await directory.reader(id))?.number ?? NOBODY
      const owner = (await directory.visible(author)).number
      const listing = { list: 'author', reader, owner } as const
      return pageOfPosts(cursors, listing, query, at => pager.timeline(reader, owner, at))
    },
    async postBytes(post: PostId): Promise<Uint8Array> {
      const reader = (await directory.reader(id))?.number ?? NOBODY
      return pager.post(reader, post)
    }
  }
}

/** A reader without a number got no cursor from us. */
function emptyPage(query: PageQuery, id: UserId): Uint8Array {
  if (query.cursor === undefined) return EMPTY_PAGE
  throw new Problem(
    'invalid_cursor',
    `The user "${id}" has no feed yet, so no cursor of it exists.`
  )
}
