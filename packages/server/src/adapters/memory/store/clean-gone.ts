import type { Post } from '../../../domain/post.ts'
import type { PostId } from '../../../domain/post-id.ts'
import type { Relation } from '../../../ports/store.ts'
import type { Context } from './context.ts'
import { likeLock, setLike } from './likes.ts'
import { postLock, tombstone } from './posts.ts'
import { pairLock, removeFollow } from './relations.ts'
import { type KeyRow, putCut, type Tables, toggle } from './tables.ts'
import type { Transaction } from './transactions.ts'
import { withoutWords } from './words.ts'

/** A row to be removed; `clean` looks again once the row is locked, and answers whether it was still there. */
interface Remnant {
  readonly lock: string
  readonly clean: (tx: Transaction) => boolean
}

function livePost(context: Context, id: PostId): Remnant {
  const clean = (tx: Transaction) => {
    const post: Post | undefined = context.tables.posts.get(id)
    if (post === undefined || post.deleted) return false
    tombstone(context, tx, post)
    return true
  }
  return { lock: postLock(id), clean }
}

/** No cut is left: the posts of an author who is gone are hidden as it is. */
function followOf(context: Context, pair: Relation): Remnant {
  const { reader, author } = pair
  const clean = (tx: Transaction) => {
    if (!context.tables.follows.has(reader, author)) return false
    removeFollow(context, tx, pair)
    tx.emit({ type: 'relation', author, reader })
    tx.emit({ type: 'rules', reader })
    return true
  }
  return { lock: pairLock(reader, author), clean }
}

function likeOf(context: Context, user: number, post: PostId): Remnant {
  const like = { user, post }
  return { lock: likeLock(like), clean: tx => setLike(context, tx, like, false) }
}

/** No events: who is gone reads nothing and is hidden as it is. */
function ruleOf(lock: string, isThere: () => boolean, remove: () => void): Remnant {
  const clean = (tx: Transaction) => {
    if (!isThere()) return false
    tx.change(remove)
    return true
  }
  return { lock, clean }
}

function rulesOf({ tables }: Context, user: number): Remnant[] {
  const { blocks, mutes, requests, hides, cuts } = tables
  const edges = [blocks, mutes, requests].flatMap(edges => {
    const pairs = [
      ...[...edges.from(user).keys()].map(author => [user, author] as const),
      ...[...edges.to(user).keys()].map(reader => [reader, user] as const)
    ]
    return pairs.map(([reader, author]) =>
      ruleOf(
        pairLock(reader, author),
        () => edges.has(reader, author),
        () => edges.remove(reader, author)
      )
    )
  })
  const hidden = [...(hides.get(user) ?? [])].map(post =>
    ruleOf(
      `hide ${user} ${post}`,
      () => hides.get(user)?.has(post) ?? false,
      () => toggle(hides, user, post, false)
    )
  )
  const cut = [...(cuts.get(user)?.keys() ?? [])].map(author =>
    ruleOf(
      pairLock(user, author),
      () => cuts.get(user)?.has(author) ?? false,
      () => putCut(tables, user, author, null)
    )
  )
  return [...edges, ...hidden, ...cut]
}

function wordsOf({ tables: { keys } }: Context, user: number): Remnant[] {
  const mine = (name: string, { about }: KeyRow) =>
    about !== null && (about === user || name.startsWith(`${user} `))
  return [...keys]
    .filter(([name, row]) => mine(name, row))
    .map(([name]) => ({
      lock: `key ${name}`,
      clean: tx => {
        const row = keys.get(name)
        if (row === undefined || row.about === null) return false
        tx.change(() => keys.set(name, withoutWords(row)))
        return true
      }
    }))
}

function remnants(context: Context, user: number): Remnant[] {
  const { timelines, follows, likes }: Tables = context.tables
  return [
    ...(timelines.get(user) ?? []).map(id => livePost(context, id)),
    ...[...follows.from(user).keys()].map(author => followOf(context, { reader: user, author })),
    ...[...follows.to(user).keys()].map(reader => followOf(context, { reader, author: user })),
    ...[...(likes.get(user) ?? [])].map(post => likeOf(context, user, post)),
    ...rulesOf(context, user),
    ...wordsOf(context, user)
  ]
}

/** Removes what users who are gone have left, up to `limit` rows. Returns how many. */
export function cleanGone(context: Context, limit: number): Promise<number> {
  const gone = [...context.tables.users.values()].filter(({ status }) => status === 'gone')
  const found = gone.flatMap(({ number }) => remnants(context, number))
  const byLock = new Map(found.map(remnant => [remnant.lock, remnant]))
  const batch = [...byLock.values()].slice(0, limit)
  return context.transactions.run(
    batch.map(({ lock }) => lock),
    tx => batch.filter(({ clean }) => clean(tx)).length
  )
}
