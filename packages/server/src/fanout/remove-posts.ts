import type { PostId } from '../domain/post-id.ts'
import type { ListKey } from '../ports/feeds.ts'
import { type FanoutContext, WIDTH } from './fanout-context.ts'
import { followerSlices } from './follower-slices.ts'
import { inTurns, type Turn } from './in-turns.ts'
import type { IdsByAuthor } from './sort-batch.ts'

type RemoveContext = Pick<FanoutContext, 'store' | 'feeds' | 'limits'>

/**
 * Turns that take deleted posts out of lists. It only saves room: tombstones are filtered on every page, so what a
 * late push or a former delivery leaves behind does no harm.
 */
export function removePosts(
  context: RemoveContext,
  deletes: IdsByAuthor,
  pulled: ReadonlySet<number>
): Turn[] {
  return [...deletes].flatMap(([author, ids]): Turn[] => {
    const own = () => removeFrom(context, [`timeline:${author}`, `feed:${author}`], ids)
    const followers = followerSlices(context, author, readers =>
      removeFrom(
        context,
        readers.map((reader): ListKey => `feed:${reader}`),
        ids
      )
    )
    return pulled.has(author) ? [own] : [own, followers]
  })
}

async function removeFrom(
  { feeds }: RemoveContext,
  lists: readonly ListKey[],
  ids: readonly PostId[]
): Promise<false> {
  const jobs = lists.map(
    (list): Turn =>
      () =>
        feeds.remove(list, ids).then(() => false)
  )
  await inTurns(jobs, WIDTH)
  return false
}
