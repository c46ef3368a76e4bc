import type { PostId } from '../domain/post-id.ts'
import type { Delivery } from '../domain/user.ts'
import type { Push, Pushed } from '../ports/feeds.ts'
import type { BatchRecord } from './batch-record.ts'
import type { FanoutContext } from './fanout-context.ts'
import { followerSlices } from './follower-slices.ts'
import type { Turn } from './in-turns.ts'
import { pulledOf } from './pulled-authors.ts'
import type { IdsByAuthor } from './sort-batch.ts'

type PushContext = Pick<FanoutContext, 'store' | 'feeds' | 'limits' | 'telemetry'>

/** Pushes handed to Feeds at once. */
const PUSHES_MAX = 10_000

/**
 * Pushes posts to their authors' timelines and own feeds, pulled or not: a later switch, or an API process that died
 * before its own push, would leave a hole. Returns the turns that push them to the followers of all who are not pulled.
 */
export async function pushPosts(
  context: PushContext,
  posts: IdsByAuthor,
  deliveries: ReadonlyMap<number, Delivery>,
  record: BatchRecord
): Promise<Turn[]> {
  const pulled = pulledOf(deliveries)
  const own = [...posts].flatMap(([author, ids]) =>
    ids.flatMap((id): Push[] => [
      { list: `timeline:${author}`, id },
      { list: `feed:${author}`, id }
    ])
  )
  await pushAll(context, own)
  const turns: Turn[] = []
  for (const [author, ids] of posts) {
    const delivery = deliveries.get(author) ?? 'push'
    if (pulled.has(author)) record.whole(ids, delivery, 'pulled')
    else turns.push(pushToFollowers(context, author, ids, record.slices(ids, delivery)))
  }
  return turns
}

function pushToFollowers(
  context: PushContext,
  author: number,
  ids: readonly PostId[],
  record: ReturnType<BatchRecord['slices']>
): Turn {
  const turn = followerSlices(context, author, async followers => {
    try {
      record.done(followers, await pushAll(context, toFollowers(followers, ids)))
    } catch (error) {
      record.failed(followers)
      throw error
    }
  })
  return async () => {
    const more = await turn()
    if (!more) record.end()
    return more
  }
}

function toFollowers(followers: readonly number[], ids: readonly PostId[]): Push[] {
  return ids.flatMap(id => followers.map((reader): Push => ({ list: `feed:${reader}`, id })))
}

async function pushAll(
  { feeds, telemetry }: PushContext,
  pushes: readonly Push[]
): Promise<readonly Pushed[]> {
  const all: Pushed[] = []
  for (let start = 0; start < pushes.length; start += PUSHES_MAX) {
    const part = pushes.slice(start, start + PUSHES_MAX)
    for (const pushed of await feeds.push(part)) all.push(pushed)
    telemetry.count('fanout_pushes', part.length)
  }
  return all
}
