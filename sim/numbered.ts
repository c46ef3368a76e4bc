import type { FeedPage, FeedQuery } from '@fanwise/sdk'
import { END, type PostId } from '../packages/server/src/domain/post-id.ts'
import type { Chance } from './chance.ts'
import { judgeShown, read } from './pages.ts'
import type { World } from './world.ts'

const REQUESTS_MAX = 100

export interface NumberedOptions {
  readonly size: number
  /** ms that the reader takes to look at a page. */
  readonly pause: () => number
}

/** Reads numbered pages to their end, and judges each, and all together. Undefined: the reader gave up. */
export async function turnPages(
  world: World,
  reader: number,
  { size, pause }: NumberedOptions,
  chance: Chance
): Promise<PostId[] | undefined> {
  const id = world.users.get(reader) as string
  const begun = world.now
  const ids: PostId[] = []
  let snapshot: string | null = null
  let page = 1
  for (let left = REQUESTS_MAX; left > 0; left--) {
    const query: FeedQuery = { page, size, ...(snapshot !== null && { snapshot }) }
    const got = await read<FeedPage>(world, chance, feed => feed.as(id).feed(query))
    if (got === undefined) return undefined
    const { items, nextCursor, partial, snapshot: kept = null } = got.page
    judgeShown(world, reader, items, got.from)
    snapshot = kept
    if (partial && snapshot !== null) continue
    ids.push(...items.map(post => post.id))
    world.say(`page ${page} of ${reader}: ${items.map(post => post.id).join(' ')}`)
    if (nextCursor === null) return judgeAll(world, reader, ids, begun)
    if (snapshot === null) return undefined
    page++
    await world.pause(pause())
  }
  world.fail('numbered pages do not end', { reader, page, size })
}

/** Nothing comes twice, and nothing lacks that was there when the walk began and has stayed. */
function judgeAll(world: World, reader: number, ids: PostId[], begun: number): PostId[] {
  const above = [END, ...ids]
  if (ids.some((id, at) => id >= (above[at] as PostId)))
    world.fail('numbered pages repeat posts', { reader, ids })
  if (world.feeds.doubted(begun) || world.gone.has(reader)) return ids
  const shown = new Set(ids)
  for (const record of world.ledger.posts.values())
    if (!shown.has(record.id) && world.ledger.demands(reader, record, begun, world.now))
      world.fail('numbered pages lack a post', { reader, lacks: record, ids })
  return ids
}
