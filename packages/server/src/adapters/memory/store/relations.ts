import { Problem } from '../../../domain/errors.ts'
import type { Relation, RelationStore } from '../../../ports/store.ts'
import { type Context, isActive, mayWrite, mustExist } from './context.ts'
import { putCut, type Tables } from './tables.ts'
import type { Transaction } from './transactions.ts'

/** Follow, block and all that concerns two users come one after the other, whichever way round. */
export function pairLock(a: number, b: number): string {
  return `pair ${Math.min(a, b)} ${Math.max(a, b)}`
}

/** Follows, blocks, mutes and hides of one reader come one after the other: they count towards limits. */
export function readerLock(reader: number): string {
  return `follower ${reader}`
}

function tell(tx: Transaction, { reader, author }: Relation): void {
  tx.emit({ type: 'relation', author, reader })
  tx.emit({ type: 'rules', reader })
}

function add({ tables, next }: Context, tx: Transaction, { reader, author }: Relation): void {
  const seq = next('relation')
  tx.change(() => {
    tables.follows.add(reader, author, seq)
    putCut(tables, reader, author, null)
    tables.userDeltas.add({ user: author, followers: 1 })
    tables.userDeltas.add({ user: reader, following: 1 })
  })
}

/** The follow goes, without a cut. */
export function removeFollow({ tables }: Context, tx: Transaction, pair: Relation): void {
  const { reader, author } = pair
  tx.change(() => {
    tables.follows.remove(reader, author)
    tables.userDeltas.add({ user: author, followers: -1 })
    tables.userDeltas.add({ user: reader, following: -1 })
  })
}

/** The follow goes and leaves a cut. */
export function endFollow(context: Context, tx: Transaction, pair: Relation): void {
  const cut = { version: String(context.next('relation')), seenAt: null }
  removeFollow(context, tx, pair)
  tx.change(() => putCut(context.tables, pair.reader, pair.author, cut))
}

function blockedEitherWay({ blocks }: Tables, { reader, author }: Relation): boolean {
  return blocks.has(reader, author) || blocks.has(author, reader)
}

function follow(context: Context, tx: Transaction, pair: Relation): boolean {
  const { tables } = context
  const max = context.limits.followsMax
  const { reader, author } = pair
  mayWrite(tables, reader)
  mustExist(tables, author)
  if (blockedEitherWay(tables, pair)) throw new Problem('blocked')
  if (tables.follows.has(reader, author)) return false
  if (tables.follows.from(reader).size >= max)
    throw new Problem('follows_limit', `The user follows ${max} users, the most allowed.`, { max })
  add(context, tx, pair)
  tell(tx, pair)
  return true
}

function unfollow(context: Context, tx: Transaction, pair: Relation): boolean {
  mayWrite(context.tables, pair.reader)
  if (!context.tables.follows.has(pair.reader, pair.author)) return false
  endFollow(context, tx, pair)
  tell(tx, pair)
  return true
}

function canFollow({ tables }: Context, pair: Relation): boolean {
  const { reader, author } = pair
  const there = tables.users.get(author)
  const may = isActive(tables, reader) && there !== undefined && there.status !== 'gone'
  if (!may || reader === author || tables.follows.has(reader, author)) return false
  return !blockedEitherWay(tables, pair)
}

/** Leaves out repeats, what cannot be, and what is over a reader's limit. One rules event a reader. */
function followMany(context: Context, tx: Transaction, pairs: readonly Relation[]): Relation[] {
  const { tables } = context
  const { followsMax } = context.limits
  const distinct = new Map(pairs.map(pair => [`${pair.reader} ${pair.author}`, pair]))
  const added: Relation[] = []
  const counts = new Map<number, number>()
  for (const { reader, author } of distinct.values()) {
    const count = counts.get(reader) ?? tables.follows.from(reader).size
    if (count >= followsMax || !canFollow(context, { reader, author })) continue
    counts.set(reader, count + 1)
    add(context, tx, { reader, author })
    tx.emit({ type: 'relation', author, reader })
    added.push({ reader, author })
  }
  for (const reader of counts.keys()) tx.emit({ type: 'rules', reader })
  return added
}

type Follows = Pick<
  RelationStore,
  'follow' | 'followMany' | 'unfollow' | 'follows' | 'followerSlice'
>

export function relations(context: Context): Follows {
  const { tables, transactions } = context
  const locks = (reader: number, author: number) => [readerLock(reader), pairLock(reader, author)]
  return {
    follow: (reader, author, key) =>
      transactions.write(key, locks(reader, author), tx => follow(context, tx, { reader, author })),

    followMany: pairs =>
      transactions.run(
        pairs.flatMap(({ reader, author }) => locks(reader, author)),
        tx => followMany(context, tx, pairs)
      ),

    unfollow: (reader, author, key) =>
      transactions.write(key, locks(reader, author), tx =>
        unfollow(context, tx, { reader, author })
      ),

    follows: async pairs => pairs.map(({ reader, author }) => tables.follows.has(reader, author)),

    followerSlice: async (author, after, limit) =>
      [...tables.follows.to(author).keys()]
        .filter(reader => reader > after)
        .sort((a, b) => a - b)
        .slice(0, limit)
  }
}
