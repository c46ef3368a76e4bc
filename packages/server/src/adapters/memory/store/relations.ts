import { Problem } from '../../../domain/errors.ts'
import type {
  Followed,
  IdempotencyKey,
  Relation,
  RelationStore,
  Written
} from '../../../ports/store.ts'
import { type Context, isActive, mayWrite, mustExist } from './context.ts'
import { putCut, type Tables } from './tables.ts'
import type { Transaction } from './transactions.ts'
import { lock as userLock } from './users.ts'

/** Follow, block and all that concerns two users come one after the other, whichever way round. */
export function pairLock(a: number, b: number): string {
  return `pair ${Math.min(a, b)} ${Math.max(a, b)}`
}

/** Follows, blocks, mutes and hides of one reader come one after the other: they count towards limits. */
export function readerLock(reader: number): string {
  return `follower ${reader}`
}

export function tell(tx: Transaction, { reader, author }: Relation): void {
  tx.emit({ type: 'relation', author, reader })
  tx.emit({ type: 'rules', reader })
}

/** The follow begins: no cut and no request is left. */
export function beginFollow(
  { tables, next }: Context,
  tx: Transaction,
  { reader, author }: Relation
): void {
  const seq = next('relation')
  tx.change(() => {
    tables.follows.add(reader, author, seq)
    tables.requests.remove(reader, author)
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

/** Takes a request back. Returns whether there was one. */
export function withdraw(
  { tables: { requests } }: Context,
  tx: Transaction,
  { reader, author }: Relation
): boolean {
  if (!requests.has(reader, author)) return false
  tx.change(() => requests.remove(reader, author))
  return true
}

function blockedEitherWay({ blocks }: Tables, { reader, author }: Relation): boolean {
  return blocks.has(reader, author) || blocks.has(author, reader)
}

/** Requests of others than `author` count as follows: when they are accepted there is room. */
function mustHaveRoom({ tables, limits }: Context, { reader, author }: Relation): void {
  const { followsMax: max } = limits
  const others = waitsFor(tables, reader, author)
  if (tables.follows.from(reader).size + others < max) return
  throw new Problem('follows_limit', `The user follows ${max} users, the most allowed.`, { max })
}

/** Whom the reader asks, without the author. */
function waitsFor({ requests }: Tables, reader: number, author: number): number {
  return requests.from(reader).size - (requests.has(reader, author) ? 1 : 0)
}

function ask(context: Context, tx: Transaction, { reader, author }: Relation): void {
  const { tables, limits, next } = context
  const { requestsMax: max } = limits
  if (waitsFor(tables, reader, author) >= max)
    throw new Problem('requests_limit', `The user waits for ${max} users, the most allowed.`, {
      max
    })
  const seq = next('relation')
  tx.change(() => tables.requests.add(reader, author, seq))
}

/** A request has to hold its author's row, and the author turned private only now: nothing is written. */
class TurnedPrivate extends Error {}

/** @throws TurnedPrivate */
function follow(context: Context, tx: Transaction, pair: Relation, holdsAuthor: boolean): Followed {
  const { tables } = context
  const { reader, author } = pair
  mayWrite(tables, reader)
  mustExist(tables, author)
  if (blockedEitherWay(tables, pair)) throw new Problem('blocked')
  if (tables.follows.has(reader, author)) return false
  const isPrivate = tables.users.get(author)?.visibility === 'private'
  if (isPrivate && tables.requests.has(reader, author)) return 'requested'
  mustHaveRoom(context, pair)
  if (!isPrivate) {
    beginFollow(context, tx, pair)
    tell(tx, pair)
    return true
  }
  if (!holdsAuthor) throw new TurnedPrivate()
  ask(context, tx, pair)
  return 'requested'
}

function unfollow(context: Context, tx: Transaction, pair: Relation): boolean {
  mayWrite(context.tables, pair.reader)
  if (!context.tables.follows.has(pair.reader, pair.author)) return withdraw(context, tx, pair)
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
    const had = tables.follows.from(reader).size + othersAsked(tables, reader, distinct)
    const count = counts.get(reader) ?? had
    if (count >= followsMax || !canFollow(context, { reader, author })) continue
    counts.set(reader, count + 1)
    beginFollow(context, tx, { reader, author })
    tx.emit({ type: 'relation', author, reader })
    added.push({ reader, author })
  }
  for (const reader of counts.keys()) tx.emit({ type: 'rules', reader })
  return added
}

/** Whom the reader asks, without those whom they follow by this. */
function othersAsked(
  { requests }: Tables,
  reader: number,
  given: ReadonlyMap<string, Relation>
): number {
  return [...requests.from(reader).keys()].filter(author => !given.has(`${reader} ${author}`))
    .length
}

type Follows = Pick<
  RelationStore,
  'follow' | 'followMany' | 'unfollow' | 'follows' | 'followerSlice'
>

export function relations(context: Context): Follows {
  const { tables, transactions } = context
  const locks = (reader: number, author: number) => [readerLock(reader), pairLock(reader, author)]
  async function followOne(
    reader: number,
    author: number,
    key?: IdempotencyKey
  ): Promise<Written<Followed>> {
    const row = tables.users.get(author)
    const held = row?.visibility === 'private' ? [userLock(row.id)] : []
    const all = [...locks(reader, author), ...held]
    try {
      return await transactions.write(key, all, tx =>
        follow(context, tx, { reader, author }, held.length > 0)
      )
    } catch (error) {
      if (error instanceof TurnedPrivate) return followOne(reader, author, key)
      throw error
    }
  }
  return {
    follow: followOne,

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
