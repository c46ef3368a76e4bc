import type { AdminApi, FeedApi, UserId } from '@fanwise/sdk'
import { explainPost } from '../audit/explain-post.ts'
import { readTrail, toDelivery } from '../audit/fanout-trail.ts'
import { Problem } from '../domain/errors.ts'
import type { Post } from '../domain/post.ts'
import { isPostId, type PostId } from '../domain/post-id.ts'
import { unknownPost, unknownUser } from '../domain/unknown.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { ServiceContext } from './context.ts'

/** Nobody: a reader who never wrote has no number. */
const NOBODY = 0

async function deliveryOf({ store, limits }: ServiceContext, post: Post) {
  const [author] = await store.usersByNumbers([post.author])
  const context = { store, limits }
  return toDelivery(context, await readTrail(context, post), post, author)
}

async function findPost({ store }: ServiceContext, id: PostId): Promise<Post | undefined> {
  return isPostId(id) ? (await store.postsByIds([id]))[0] : undefined
}

interface ExplainingContext extends ServiceContext {
  readonly log: Pick<EventLog, 'pending'>
}

/** What an operator asks of posts. */
export function explaining(context: ExplainingContext): Pick<AdminApi, 'explain' | 'delivery'> {
  return {
    async explain(reader, post) {
      const user = (await context.directory.findMany([reader])).get(reader)
      if (user === undefined || user.status === 'gone') throw unknownUser(reader)
      if (!isPostId(post)) throw new Problem('post_not_found', `"${post}" is no id of a post.`)
      return explainPost(context, user, post)
    },
    async delivery(id) {
      const post = await findPost(context, id)
      if (post === undefined) throw unknownPost(id)
      return deliveryOf(context, post)
    }
  }
}

/** How far an own post is. Whoever may not see a post does not learn that it exists. */
export function ownDelivery(context: ServiceContext, id: UserId): Pick<FeedApi, 'delivery'> {
  return {
    async delivery(post) {
      const reader = await context.directory.reader(id)
      const found = await findPost(context, post)
      if (found !== undefined && !found.deleted && found.author === reader?.number)
        return deliveryOf(context, found)
      await context.pager.post(reader?.number ?? NOBODY, post)
      throw new Problem('not_author', 'Only its author may see how far a post is.')
    }
  }
}
