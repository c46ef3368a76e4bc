import type { Explanation, LackingCode, PostEvent, WorkRecord } from '@fanwise/sdk'
import type { Post } from '../domain/post.ts'
import { END, type PostId } from '../domain/post-id.ts'
import type { User } from '../domain/user.ts'
import { isoTime } from '../lib/iso-time.ts'
import type { ReaderRow } from '../ports/ledger.ts'
import type { Store } from '../ports/store.ts'
import {
  readTrail,
  relayedAt,
  type Trail,
  type TrailContext,
  timeOrNull,
  toDelivery
} from './fanout-trail.ts'
import { type LackingContext, lackingBy } from './lacking.ts'
import { decidingReason, recordReasons, summaryOf } from './reasons.ts'
import {
  hiddenBy,
  type PlaceContext,
  placeOf,
  readWhole,
  type WholeList
} from './standing-place.ts'

export interface ExplainContext extends TrailContext, PlaceContext, LackingContext {
  readonly store: TrailContext['store'] &
    LackingContext['store'] &
    Pick<Store, 'postsByIds' | 'usersByNumbers' | 'standing' | 'ledgerOf' | 'homeIds' | 'rules'>
  readonly limits: TrailContext['limits'] & PlaceContext['limits']
}

/** Posts that are counted to find a position, and posts of a page. */
const DEPTH = 1000
const PAGE = 20

/**
 * Why a post is, or is not, in a reader's feed: from the records of its fan-out, the rules as they stand, and the
 * reader's list. No page is read for it.
 */
export async function explainPost(
  context: ExplainContext,
  reader: User,
  id: PostId
): Promise<Explanation> {
  const [post] = await context.store.postsByIds([id])
  const [author] = post ? await context.store.usersByNumbers([post.author]) : []
  if (post === undefined || author === undefined) return unknown(context, reader, id)
  // Before the list: what is recorded as done is in it then.
  const trail = await readTrail(context, post)
  const lacking = await lackingBy(context, trail, reader.number, post)
  const rows = await context.store.ledgerOf(id, reader.number)
  const feed = await readWhole(context, `feed:${reader.number}`)
  const { code, source } = await decide(context, reader, { post, author, lacking, feed })
  const told = { reader, author, post: id, trail, feed }
  const reasons = [decidingReason(code, told), ...recordReasons(told, rows)]
  const position = source === null ? null : await positionOf(context, reader.number, id)
  const page = position === null ? null : Math.ceil(position / PAGE)
  return {
    ...{ reader: reader.id, post: id, author: author.id, shown: source !== null },
    summary: summaryOf(told, source !== null, reasons, { position, page }),
    ...{ reasons, source, position, page },
    feed: toFeed(feed, id),
    event: toEvent(trail),
    records: rows.map(toRecord),
    delivery: toDelivery(context, trail, post, author)
  }
}

interface Found {
  readonly post: Post
  readonly author: User
  readonly lacking: LackingCode
  readonly feed: WholeList
}

async function decide(context: ExplainContext, reader: User, found: Found) {
  const { post, author, lacking, feed } = found
  const standing = await context.store.standing(reader.number, post.author, post.id)
  if (standing === null) return { code: 'author_gone', source: null } as const
  const hidden = hiddenBy(reader.number, post, author, standing)
  if (hidden !== null) return { code: hidden, source: null }
  return placeOf(context, reader.number, post, standing, lacking, feed)
}

async function unknown(context: ExplainContext, reader: User, id: PostId): Promise<Explanation> {
  const feed = await readWhole(context, `feed:${reader.number}`)
  const message = `There is no post ${id}, and there never was one: deleted posts leave a mark.`
  return {
    ...{ reader: reader.id, post: id, author: null, shown: false },
    summary: message,
    reasons: [{ code: 'post_unknown', message }],
    ...{ source: null, position: null, page: null },
    feed: toFeed(feed, id),
    ...{ event: null, records: [], delivery: null }
  }
}

/** Counted in the Store, in a few steps: most posts that are asked for are young. */
async function positionOf(
  { store }: ExplainContext,
  reader: number,
  id: PostId
): Promise<number | null> {
  for (const depth of [PAGE * 5, DEPTH]) {
    const ids = await store.homeIds(reader, END, depth)
    const index = ids.indexOf(id)
    if (index >= 0) return 1 + (await countShown({ store }, reader, ids.slice(0, index)))
    if (ids.length < depth) return null
  }
  return null
}

/** Those of followees whom no rule hides. Few are muted or hidden, so the posts are read only if somebody is. */
async function countShown(
  { store }: Pick<ExplainContext, 'store'>,
  reader: number,
  ids: readonly PostId[]
): Promise<number> {
  const { hides, mutes } = await store.rules(reader)
  const unhidden = ids.filter(id => !hides.has(id))
  if (mutes.size === 0) return unhidden.length
  const posts = await store.postsByIds(unhidden)
  return posts.filter(({ author }) => author === reader || !mutes.has(author)).length
}

function toFeed({ state, floor, ids }: WholeList, id: PostId): Explanation['feed'] {
  return { state, floor: state === 'warm' ? floor : null, holds: ids.includes(id) }
}

function toEvent({ event, progress }: Trail): PostEvent | null {
  const known = event ?? (progress && { id: progress.event, lane: progress.lane })
  if (known === null) return null
  const givenUp = event?.givenUp ?? null
  return {
    id: known.id,
    lane: known.lane,
    partition: progress?.partition ?? null,
    offset: progress?.offset ?? null,
    relayedAt: timeOrNull(relayedAt({ event, progress })),
    givenUp: givenUp && { at: isoTime(givenUp.at), reason: givenUp.reason }
  }
}

function toRecord(row: ReaderRow): WorkRecord {
  const { at, worker, work, delivery: mode, slice, took, pushed, cold, late, failed } = row
  return {
    ...{ at: isoTime(at), worker, work, mode, slice, took },
    ...{ pushed, cold, late, failed }
  }
}
