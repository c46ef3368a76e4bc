import type { HiddenCode, LackingCode, ShownCode } from '@fanwise/sdk'
import { isTransient } from '../domain/is-transient.ts'
import type { Limits } from '../domain/limits.ts'
import type { Post } from '../domain/post.ts'
import { END, type PostId } from '../domain/post-id.ts'
import { isMerged } from '../domain/rules.ts'
import type { User } from '../domain/user.ts'
import type { Feeds, ListKey, Taken } from '../ports/feeds.ts'
import type { Standing } from '../ports/store.ts'

/** Which rule keeps a post from the reader's feed; null when none does. */
export function hiddenBy(
  reader: number,
  post: Post,
  author: User,
  standing: Standing
): HiddenCode | null {
  if (author.status === 'gone') return 'author_gone'
  if (post.deleted) return 'post_deleted'
  if (author.status === 'suspended') return 'author_suspended'
  if (reader !== post.author) {
    if (standing.blocks) return 'blocked_by_reader'
    if (standing.blocked) return 'blocked_by_author'
    if (!standing.follows) return unfollowed(standing)
    if (standing.mutes) return 'muted'
  }
  return standing.hides ? 'hidden' : null
}

function unfollowed({ requested, cut }: Standing): HiddenCode {
  if (requested) return 'follow_requested'
  return cut ? 'unfollowed' : 'not_followed'
}

export interface PlaceContext {
  readonly feeds: Pick<Feeds, 'take'>
  readonly limits: Pick<Limits, 'cap' | 'slack'>
  /** Knows of own posts that could not be pushed: their author's pages come from the Store. */
  readonly owed?: { owes(author: number): boolean }
}

/** More ids than one batch of pushes adds before a list is trimmed. */
const SPARE = 1000

/** A list as it stands; `unreachable` when Feeds do not answer, and then pages come from the Store. */
export interface WholeList extends Omit<Taken, 'state'> {
  readonly state: Taken['state'] | 'unreachable'
}

const UNREACHABLE: WholeList = { state: 'unreachable', ids: [], floor: END, unsettled: false }

/** All of a list. It holds fewer ids than are asked for, so its floor is told. */
export async function readWhole(
  { feeds, limits }: PlaceContext,
  list: ListKey
): Promise<WholeList> {
  try {
    return await feeds.take(list, END, limits.cap + limits.slack + SPARE)
  } catch (error) {
    if (!isTransient(error)) throw error
    return UNREACHABLE
  }
}

export type Place =
  | { readonly code: ShownCode; readonly source: 'feed' | 'timeline' | 'store' }
  | { readonly code: LackingCode; readonly source: null }

/** Where a page takes a post from that no rule hides. `lacking` was asked before `feed` was read: what is done is in it. */
export async function placeOf(
  context: PlaceContext,
  reader: number,
  post: Post,
  standing: Standing,
  lacking: LackingCode,
  feed: WholeList
): Promise<Place> {
  if (feed.state !== 'warm') return { code: COLD[feed.state], source: 'store' }
  if (context.owed?.owes(reader)) return { code: 'feed_owed', source: 'store' }
  if (post.id <= feed.floor) return { code: 'below_floor', source: 'store' }
  if (feed.ids.includes(post.id)) return { code: 'in_feed', source: 'feed' }
  if (standing.delivery !== 'push' || isMerged(standing.pullUntil, feed.floor)) {
    const place = inTimeline(post.id, await readWhole(context, `timeline:${post.author}`))
    if (place !== null) return place
  }
  return { code: lacking, source: null }
}

const COLD = {
  cold: 'feed_cold',
  building: 'feed_building',
  unreachable: 'feed_unreachable'
} as const

function inTimeline(post: PostId, timeline: WholeList): Place | null {
  if (timeline.state !== 'warm') return { code: 'timeline_cold', source: 'store' }
  if (post <= timeline.floor) return { code: 'timeline_below_floor', source: 'store' }
  return timeline.ids.includes(post) ? { code: 'in_timeline', source: 'timeline' } : null
}
