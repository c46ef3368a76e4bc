import { Problem } from '../../../domain/errors.ts'
import { CLOCKS_MS } from '../../../domain/limits.ts'
import {
  makePostId,
  type PostId,
  SEQUENCES,
  shardOf,
  shardOfAuthor,
  timeOf
} from '../../../domain/post-id.ts'
import type { Tables } from './tables.ts'

/** Makes ids of posts by the Store's clock. An id that is drawn and not yet committed is taken, too. */
export class PostIds {
  readonly #tables: Tables
  readonly #drawn = new Set<PostId>()
  /** Time of the newest committed post by shard, in ms. */
  readonly #newest = new Map<number, number>()
  #seq = 0

  constructor(tables: Tables) {
    this.#tables = tables
  }

  /** @throws Problem clock_behind */
  checkClock(author: number, now: number): void {
    const behind = (this.#newest.get(shardOfAuthor(author)) ?? 0) - now
    if (behind > CLOCKS_MS)
      throw new Problem('clock_behind', `The clock is ${behind} ms behind the newest post.`)
  }

  /** Never ahead of `now`: another sequence number is drawn until the id is free. */
  drawNow(author: number, now: number): PostId {
    this.checkClock(author, now)
    for (let tries = 0; tries < SEQUENCES; tries++) {
      const id = makePostId(now, shardOfAuthor(author), this.#nextSeq())
      if (this.#take(id)) return id
    }
    throw new Problem('unavailable', 'All ids of this ms are taken.')
  }

  /** The first free ms from `ms` on. */
  drawFrom(author: number, ms: number): PostId {
    const seq = this.#nextSeq()
    for (let at = ms; ; at++) {
      const id = makePostId(at, shardOfAuthor(author), seq)
      if (this.#take(id)) return id
    }
  }

  /** The post stands in its table now. */
  committed(id: PostId): void {
    this.#drawn.delete(id)
    const shard = shardOf(id)
    this.#newest.set(shard, Math.max(this.#newest.get(shard) ?? 0, timeOf(id)))
  }

  #nextSeq(): number {
    this.#seq = (this.#seq + 1) % SEQUENCES
    return this.#seq
  }

  #take(id: PostId): boolean {
    if (this.#tables.posts.has(id) || this.#drawn.has(id)) return false
    this.#drawn.add(id)
    return true
  }
}
