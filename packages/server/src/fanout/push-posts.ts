import type { PostId } from '../domain/post-id.ts'
import type { Push } from '../ports/feeds.ts'
import type { FanoutContext } from './fanout-context.ts'
import { followerSlices } from './follower-slices.ts'
import type { Turn } from './in-turns.ts'
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
  pulled: ReadonlySet<number>
): Promise<Turn[]> {
  const own = [...posts].flatMap(([author, ids]) =>
    ids.flatMap((id): Push[] => [
      { list: `timeline:${author}`, id },
      { list: `feed:${author}`, id }
    ])
  )
  await pushAll(context, own)
  const pushed = [...posts].filter(([author]) => !pulled.has(author))
  return pushed.map(([author, ids]) =>
    followerSlices(context, author, followers => pushAll(context, toFollowers(followers, ids)))
  )
}

function toFollowers(followers: readonly number[], ids: readonly PostId[]): Push[] {
  return ids.flatMap(id => followers.map((reader): Push => ({ list: `feed:${reader}`, id })))
}

async function pushAll({ feeds, telemetry }: PushContext, pushes: readonly Push[]): Promise<void> {
  for (let start = 0; start < pushes.length; start += PUSHES_MAX) {
    const part = pushes.slice(start, start + PUSHES_MAX)
    await feeds.push(part)
    telemetry.count('fanout_pushes', part.length)
  }
}
