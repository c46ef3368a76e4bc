import { BEGINNING, END, type PostId } from '../domain/post-id.ts'
import type { Skeleton } from './skeleton.ts'

export type Direction = 'down' | 'up'

/** The walk of `skeleton` with `ids` in their places. */
export function withPosts(
  skeleton: Skeleton,
  ids: readonly PostId[],
  direction: Direction = 'down'
): Skeleton {
  if (ids.length === 0) return skeleton
  const end = direction === 'down' ? BEGINNING : END
  return async ask => {
    const stretch = await skeleton(ask)
    const last = stretch.exhausted ? end : (stretch.ids.at(-1) ?? end)
    const within = (id: PostId) =>
      direction === 'down'
        ? id < ask.from && id > last && id > ask.until
        : id > ask.from && id < last
    const all = [...new Set([...stretch.ids, ...ids.filter(within)])].sort()
    return { ...stretch, ids: direction === 'down' ? all.reverse() : all }
  }
}
