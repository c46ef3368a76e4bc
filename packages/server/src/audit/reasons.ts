import type { Explanation, Reason } from '@fanwise/sdk'
import { timeOf } from '../domain/post-id.ts'
import type { User } from '../domain/user.ts'
import { isoTime } from '../lib/iso-time.ts'
import type { ReaderRow } from '../ports/ledger.ts'
import type { Trail } from './fanout-trail.ts'
import type { WholeList } from './standing-place.ts'

/** What the sentences are about. */
export interface Told {
  readonly reader: User
  readonly author: User
  readonly post: string
  readonly trail: Trail
  readonly feed: WholeList
}

type Code = Reason['code']
type Sentence = (told: Told) => string

/** The latest row of a reader who stood in the slice, or of all. */
const at = ({ at: ms, worker }: ReaderRow) => `by worker ${worker} at ${isoTime(ms)}`

/** One for each reason that decides; "feed" is the reader's. */
const DECIDING: Readonly<Partial<Record<Code, Sentence>>> = {
  post_deleted: ({ author }) => `${author.id} deleted the post.`,
  author_gone: ({ author }) => `The account of ${author.id} was deleted.`,
  author_suspended: ({ author }) =>
    `${author.id} is suspended; the posts come back when that is lifted.`,
  blocked_by_reader: ({ reader, author }) => `${reader.id} blocks ${author.id}.`,
  blocked_by_author: ({ reader, author }) => `${author.id} blocks ${reader.id}.`,
  follow_requested: ({ reader, author }) =>
    `${author.id} has not accepted the request of ${reader.id} to follow this private account.`,
  unfollowed: ({ reader, author }) =>
    `${reader.id} does not follow ${author.id} any more: by an unfollow, a removal as a follower, or a block.`,
  not_followed: ({ reader, author }) => `${reader.id} does not follow ${author.id}.`,
  muted: ({ reader, author }) => `${reader.id} mutes ${author.id}.`,
  hidden: ({ reader }) => `${reader.id} hid the post.`,
  waiting: ({ reader, author, trail }) =>
    trail.state === 'waiting'
      ? 'It is on its way: its event waits in the outbox for whoever carries it to a worker.'
      : `It is on its way: the follow of ${author.id} by ${reader.id} waits to be worked off, and brings earlier posts.`,
  relayed: ({ trail }) =>
    `It is on its way: its event was handed to the log${publishedAt(trail)}, and no worker has recorded any work on it.`,
  in_work: ({ trail }) =>
    `It is on its way: ${trail.progress?.slicesDone ?? 0} slices of followers are done.`,
  given_up: ({ trail }) =>
    `Its event was given up (${trail.event?.givenUp?.reason ?? ''}), and the feed was not dropped then. Rebuild the feed.`,
  missing: () =>
    'The list of the feed should hold it and does not. Keep this answer, and rebuild the feed.',
  in_feed: ({ feed }) =>
    `It stands in the warm list of the feed${feed.unsettled ? ', which has late entries to be put in place' : ''}.`,
  in_timeline: ({ author }) =>
    `It is merged from the timeline of ${author.id}, whose posts are not pushed.`,
  timeline_cold: ({ author }) =>
    `It is read from the Store: ${author.id} is merged, and their timeline is not warm.`,
  timeline_below_floor: ({ author }) =>
    `It is read from the Store: it lies below the floor of the timeline of ${author.id}.`,
  feed_cold: () => 'It is read from the Store: the feed is not warm, and is built when it is read.',
  feed_unreachable: () => 'It is read from the Store: the servers of the feeds do not answer.',
  feed_owed: ({ reader }) =>
    `It is read from the Store: an own post of ${reader.id} could not be pushed to the feed yet.`,
  feed_building: () => 'It is read from the Store: the feed is being built.',
  below_floor: ({ post, feed }) =>
    `It is read from the Store: it was posted at ${isoTime(timeOf(post))}, below the floor of the warm list (${floorTime(feed)}); older entries are trimmed.`
}

function publishedAt({ event }: Trail): string {
  return event?.publishedAt ? ` at ${isoTime(event.publishedAt)}` : ''
}

/** A floor may lie in the future on a busy feed, and is no id of a post. */
function floorTime({ floor }: WholeList): string {
  return floor.length === 19 ? isoTime(timeOf(floor)) : 'none'
}

export function decidingReason(code: Code, told: Told): Reason {
  return { code, message: DECIDING[code]?.(told) ?? code }
}

/** What the records tell: about the reader's slice, or about all. Old ones say nothing of how the feed stands now. */
export function recordReasons(told: Told, rows: readonly ReaderRow[]): Reason[] {
  const { reader, author, trail } = told
  if (reader.number === author.number)
    return [
      { code: 'own_post', message: 'It is an own post: pushed to the own feed when it was made.' }
    ]
  const [row] = rows
  if (row !== undefined) return [ofRow(told, row)]
  if (trail.progress !== null)
    return [
      {
        code: 'not_pushed',
        message: `No slice of followers that was pushed to had a place for ${reader.id}: who follows later gets earlier posts by a backfill.`
      }
    ]
  if (trail.state !== 'unrecorded' && trail.state !== 'relayed') return []
  const message = 'There is no record of its fan-out: records are kept for 7 days, and may be lost.'
  return [{ code: 'no_record', message }]
}

function ofRow({ reader }: Told, row: ReaderRow): Reason {
  if (row.work === 'pulled')
    return { code: 'pulled', message: `The author was in pull: nothing was pushed ${at(row)}.` }
  if (row.work === 'backlog')
    return {
      code: 'backlog',
      message: `It was over an hour old when its event came, so it was not pushed; warm feeds were dropped ${at(row)}.`
    }
  if (row.work === 'failed')
    return {
      code: 'push_failed',
      message: `The pushes to the slice of ${reader.id} were not confirmed ${at(row)}; they are repeated.`
    }
  if (row.took && row.late > 0)
    return {
      code: 'pushed_late',
      message: `It was pushed to the feed ${at(row)}, over 15 s after it was posted: a late entry, put in place within pages.`
    }
  if (row.took) return { code: 'pushed', message: `It was pushed to the feed ${at(row)}.` }
  return { code: 'not_pushed', message: notTaken(reader, row) }
}

/** The row counts, and names nobody: what it counts none of is no cause. */
function notTaken(reader: User, row: ReaderRow): string {
  const causes = [
    ...(row.cold > 0 ? [`it was cold (as ${row.cold} of the slice)`] : []),
    ...(row.failed > 0 ? [`it could not be reached (as ${row.failed} of the slice)`] : []),
    `${reader.id} did not follow yet`
  ]
  return `The feed did not take it ${at(row)}: ${causes.join(', or ')}.`
}

/** The answer for people, from what was found. */
export function summaryOf(
  { reader, author }: Pick<Told, 'reader' | 'author'>,
  shown: boolean,
  reasons: readonly Reason[],
  { page, position }: Pick<Explanation, 'page' | 'position'>
): string {
  const lead = `The feed of ${reader.id} ${shown ? 'shows' : 'does not show'} this post of ${author.id}.`
  const where =
    position === null ? [] : [`It is number ${position}, on page ${page} of 20 posts each.`]
  return [lead, ...reasons.map(({ message }) => message), ...where].join(' ')
}
