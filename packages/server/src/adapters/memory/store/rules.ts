import { Problem } from '../../../domain/errors.ts'
import type { PostId } from '../../../domain/post-id.ts'
import { NEVER_PULLED, PULLED_NOW, type Rules } from '../../../domain/rules.ts'
import { unknownPost } from '../../../domain/unknown.ts'
import type { IdempotencyKey, Relation, RelationStore, Written } from '../../../ports/store.ts'
import { type Context, mayWrite, mustExist } from './context.ts'
import { endFollow, pairLock, readerLock, withdraw } from './relations.ts'
import { type Tables, toggle } from './tables.ts'
import type { Transaction } from './transactions.ts'

/** @throws Problem rules_limit */
function mustHaveRoom({ limits: { rulesMax: max } }: Context, size: number, what: string): void {
  if (size < max) return
  throw new Problem('rules_limit', `The user has ${max} ${what}, the most allowed.`, { max })
}

type Work = (context: Context, tx: Transaction, pair: Relation) => boolean

function block(context: Context, tx: Transaction, { reader, author }: Relation): boolean {
  const { tables, next } = context
  mustExist(tables, author)
  if (tables.blocks.has(reader, author)) return false
  mustHaveRoom(context, tables.blocks.from(reader).size, 'blocks')
  const seq = next('relation')
  tx.change(() => tables.blocks.add(reader, author, seq))
  const pairs = [
    { reader, author },
    { reader: author, author: reader }
  ]
  for (const pair of pairs) {
    if (!tables.follows.has(pair.reader, pair.author)) continue
    endFollow(context, tx, pair)
    tx.emit({ type: 'relation', author: pair.author, reader: pair.reader })
  }
  for (const pair of pairs) withdraw(context, tx, pair)
  tellBoth(tx, { reader, author })
  return true
}

function unblock({ tables }: Context, tx: Transaction, { reader, author }: Relation): boolean {
  if (!tables.blocks.has(reader, author)) return false
  tx.change(() => tables.blocks.remove(reader, author))
  tellBoth(tx, { reader, author })
  return true
}

function tellBoth(tx: Transaction, { reader, author }: Relation): void {
  tx.emit({ type: 'rules', reader })
  tx.emit({ type: 'rules', reader: author })
}

function mute(context: Context, tx: Transaction, { reader, author }: Relation): boolean {
  const { tables, next } = context
  mustExist(tables, author)
  if (tables.mutes.has(reader, author)) return false
  mustHaveRoom(context, tables.mutes.from(reader).size, 'mutes')
  const seq = next('relation')
  tx.change(() => tables.mutes.add(reader, author, seq))
  tx.emit({ type: 'rules', reader })
  return true
}

function unmute({ tables }: Context, tx: Transaction, { reader, author }: Relation): boolean {
  if (!tables.mutes.has(reader, author)) return false
  tx.change(() => tables.mutes.remove(reader, author))
  tx.emit({ type: 'rules', reader })
  return true
}

/** @throws Problem post_not_found */
export function mustBeLive({ posts }: Tables, id: PostId): void {
  if (posts.get(id)?.deleted === false) return
  throw unknownPost(id)
}

function setHide(
  context: Context,
  tx: Transaction,
  [reader, post]: readonly [number, PostId],
  on: boolean
): boolean {
  const { tables } = context
  mayWrite(tables, reader)
  if (on) mustBeLive(tables, post)
  const hides = tables.hides.get(reader)
  if ((hides?.has(post) ?? false) === on) return false
  if (on) mustHaveRoom(context, hides?.size ?? 0, 'hidden posts')
  tx.change(() => toggle(tables.hides, reader, post, on))
  tx.emit({ type: 'rules', reader })
  return true
}

/** Followees that are pulled, or were until some id. */
function pulled({ follows, delivery }: Tables, reader: number): Map<number, PostId> {
  const found = new Map<number, PostId>()
  for (const author of follows.from(reader).keys()) {
    const row = delivery.get(author)
    const until = row === undefined || row.delivery === 'push' ? row?.pullUntil : PULLED_NOW
    if (until !== undefined && until !== NEVER_PULLED) found.set(author, until)
  }
  return found
}

function rulesOf(tables: Tables, reader: number): Rules {
  const { blocks, mutes, cuts, hides } = tables
  return {
    blocks: new Set([...blocks.from(reader).keys(), ...blocks.to(reader).keys()]),
    mutes: new Set(mutes.from(reader).keys()),
    cuts: new Set(cuts.get(reader)?.keys()),
    hides: new Set(hides.get(reader)),
    pulled: pulled(tables, reader)
  }
}

type RuleStore = Pick<
  RelationStore,
  'block' | 'unblock' | 'mute' | 'unmute' | 'hide' | 'unhide' | 'rules'
>

export function rules(context: Context): RuleStore {
  const { tables, transactions } = context
  function relate(work: Work) {
    return (reader: number, author: number, key?: IdempotencyKey): Promise<Written<boolean>> =>
      transactions.write(key, [readerLock(reader), pairLock(reader, author)], tx => {
        mayWrite(tables, reader)
        return work(context, tx, { reader, author })
      })
  }
  function hiding(on: boolean) {
    return (reader: number, post: PostId, key?: IdempotencyKey): Promise<Written<boolean>> =>
      transactions.write(key, [readerLock(reader)], tx => setHide(context, tx, [reader, post], on))
  }
  return {
    block: relate(block),
    unblock: relate(unblock),
    mute: relate(mute),
    unmute: relate(unmute),
    hide: hiding(true),
    unhide: hiding(false),
    rules: async reader => rulesOf(tables, reader)
  }
}
