import type { PostId } from '../domain/post-id.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { Followed, IdempotencyKey, Relation, RelationStore, Written } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type BackfillContext, backfill } from '../rebuild/backfill.ts'
import { attempt, insist } from './effects.ts'
import { checkPair } from './validate.ts'

export type RelationChange = 'follow' | 'unfollow' | 'block' | 'unblock' | 'mute' | 'unmute'

export interface RelationContext extends BackfillContext {
  readonly store: BackfillContext['store'] & Pick<RelationStore, RelationChange | 'follows'>
  readonly feeds: BackfillContext['feeds'] & Pick<Feeds, 'dropRules'>
  readonly telemetry: Telemetry
}

/**
 * Changes how a reader stands to an author. The effects also run when nothing changed: an earlier request may have been
 * stored by a process that died before them. The backfill reads the feed's floor, so it must come after the commit:
 * before it, a feed could become warm in between without the author's posts.
 * @throws Problem self_relation, blocked, follows_limit, requests_limit, rules_limit, idempotency_conflict, unavailable
 * (stored; repeatable)
 */
export async function changeRelation(
  context: RelationContext,
  change: RelationChange,
  reader: number,
  author: number,
  key?: IdempotencyKey
): Promise<Written<Followed>> {
  const { store, feeds, telemetry } = context
  checkPair(reader, author)
  const written: Written<Followed> = await store[change](reader, author, key)
  const both = change === 'block' || change === 'unblock'
  await insist('dropping the cached rules', () =>
    feeds.dropRules(both ? [reader, author] : [reader])
  )
  if (change === 'follow' && written.value !== 'requested')
    await attempt(telemetry, 'backfill', () => backfillFollow(context, { reader, author }, written))
  return written
}

/**
 * A request that is repeated may find its follow ended long ago, and its cut gone: then nothing would hide the posts.
 * An unfollow after this look leaves a cut that does.
 */
export async function backfillFollow(
  context: BackfillContext & { readonly store: Pick<RelationStore, 'follows'> },
  pair: Relation,
  { replayed }: Written<unknown>
): Promise<void> {
  if (replayed && !(await context.store.follows([pair]))[0]) return
  await backfill(context, pair.reader, pair.author)
}

interface HideContext {
  readonly store: Pick<RelationStore, 'hide' | 'unhide'>
  readonly feeds: Pick<Feeds, 'dropRules'>
}

/** @throws Problem post_not_found, idempotency_conflict, unavailable (stored; repeatable) */
export async function changeHide(
  context: HideContext,
  change: 'hide' | 'unhide',
  reader: number,
  post: PostId,
  key?: IdempotencyKey
): Promise<Written<boolean>> {
  const written = await context.store[change](reader, post, key)
  await insist('dropping the cached rules', () => context.feeds.dropRules([reader]))
  return written
}
