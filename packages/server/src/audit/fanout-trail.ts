import type { DeliveryState, PostDelivery } from '@fanwise/sdk'
import type { Limits } from '../domain/limits.ts'
import type { Post } from '../domain/post.ts'
import { timeOf } from '../domain/post-id.ts'
import type { User } from '../domain/user.ts'
import { isoTime } from '../lib/iso-time.ts'
import type { LedgerStore, PostEvent, Progress } from '../ports/ledger.ts'

export interface TrailContext {
  readonly store: Pick<LedgerStore, 'progressOf' | 'eventOf'>
  readonly limits: Pick<Limits, 'slice'>
}

/** What was recorded of a post's fan-out, by whoever did a part of it. */
export interface Trail {
  readonly event: PostEvent | null
  readonly progress: Progress | null
  readonly state: DeliveryState
}

export async function readTrail({ store }: TrailContext, post: Post): Promise<Trail> {
  const progress = await store.progressOf(post.id)
  const event = await store.eventOf(post.id, post.author, progress?.event)
  return { event, progress, state: stateOf(event, progress) }
}

/** A row is marked as published after its work where the log is that of one process: the ledger counts first. */
function stateOf(event: PostEvent | null, progress: Progress | null): DeliveryState {
  const ended = progress === null ? null : endOf(progress)
  if (ended !== null) return ended
  if (event?.givenUp) return 'given_up'
  if (progress !== null) return 'in_work'
  if (event === null) return 'unrecorded'
  return event.publishedAt === null ? 'waiting' : 'relayed'
}

function endOf({ work, slices, slicesDone }: Progress): 'pulled' | 'done' | null {
  if (work === 'pulled') return 'pulled'
  if (work === 'backlog') return 'done'
  return slices !== null && slicesDone >= slices ? 'done' : null
}

export function toDelivery(
  { limits }: TrailContext,
  { event, progress, state }: Trail,
  post: Post,
  author: User | undefined
): PostDelivery {
  const followers = author?.counts.followers ?? 0
  const ended = state === 'done' || state === 'pulled'
  const done = progress?.slicesDone ?? 0
  const whole = progress?.work === 'pulled' || progress?.work === 'backlog'
  const expected = Math.max(done, Math.ceil(followers / limits.slice))
  return {
    post: post.id,
    state,
    mode: progress?.delivery ?? null,
    backlog: progress?.work === 'backlog',
    followers,
    slices: { done, of: whole ? 0 : (progress?.slices ?? expected) },
    pushed: progress?.pushed ?? 0,
    cold: progress?.cold ?? 0,
    late: progress?.late ?? 0,
    failed: progress?.failed ?? 0,
    createdAt: isoTime(timeOf(post.id)),
    relayedAt: timeOrNull(relayedAt({ event, progress })),
    startedAt: timeOrNull(progress?.startedAt),
    doneAt: timeOrNull(ended ? progress?.latestAt : null)
  }
}

/** Ms. What is marked as relayed after its work, or by a clock that is ahead, was relayed by the time the work began. */
export function relayedAt({ event, progress }: Pick<Trail, 'event' | 'progress'>): number | null {
  const marked = event?.publishedAt ?? null
  return marked === null || progress === null ? marked : Math.min(marked, progress.startedAt)
}

export function timeOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : isoTime(ms)
}
