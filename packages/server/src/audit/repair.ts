import type { PostId } from '../domain/post-id.ts'
import type { ListKey } from '../ports/feeds.ts'
import type { VerifyContext } from './verify-context.ts'

/**
 * Drops all that a wrong feed is made of: its list, the timelines of the authors whose posts it shows wrongly, and what is
 * kept of the reader's rules. Each is made anew from the Store when it is needed.
 */
export async function dropWrong(
  { store, feeds }: Pick<VerifyContext, 'store' | 'feeds'>,
  reader: number,
  differing: readonly PostId[]
): Promise<void> {
  const posts = await store.postsByIds([...new Set(differing)])
  const authors = new Set(posts.map(({ author }) => author))
  const timelines = [...authors].map((author): ListKey => `timeline:${author}`)
  await feeds.drop([`feed:${reader}`, ...timelines])
  await feeds.dropRules([reader])
}
