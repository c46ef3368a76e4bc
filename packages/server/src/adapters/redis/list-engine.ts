import type { Feeds } from '../../ports/feeds.ts'

/** How lists of ids are kept; see the Feeds port. */
export type ListEngine = Pick<
  Feeds,
  'push' | 'take' | 'lowestFloor' | 'begin' | 'finish' | 'settle' | 'remove'
>
