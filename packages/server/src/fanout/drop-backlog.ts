import type { ListKey } from '../ports/feeds.ts'
import type { FanoutContext } from './fanout-context.ts'
import { followerSlices } from './follower-slices.ts'
import type { Turn } from './in-turns.ts'

/**
 * Old posts (imports, a backlog) would fill lists with late ids. Every list that they belong to is dropped once, and
 * its next reader builds it in order. Returns the turns that drop the feeds of followers; those of a pulled author take
 * its posts from the timeline.
 */
export async function dropBacklog(
  context: Pick<FanoutContext, 'store' | 'feeds' | 'limits'>,
  authors: ReadonlySet<number>,
  pulled: ReadonlySet<number>
): Promise<Turn[]> {
  const { feeds } = context
  if (authors.size === 0) return []
  const own = [...authors].flatMap((author): ListKey[] => [`timeline:${author}`, `feed:${author}`])
  await feeds.drop(own)
  const pushed = [...authors].filter(author => !pulled.has(author))
  return pushed.map(author =>
    followerSlices(context, author, followers =>
      feeds.drop(followers.map((reader): ListKey => `feed:${reader}`))
    )
  )
}
