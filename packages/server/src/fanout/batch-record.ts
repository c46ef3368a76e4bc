import type { LoggedEvent } from '../domain/event.ts'
import { isPostId, type PostId } from '../domain/post-id.ts'
import type { Delivery } from '../domain/user.ts'
import type { Clock } from '../ports/clock.ts'
import type { Pushed } from '../ports/feeds.ts'
import type { LedgerRow, LedgerWork } from '../ports/ledger.ts'
import { type Ledger, weightOf } from './ledger.ts'

export interface RecordContext {
  readonly ledger: Pick<Ledger, 'write'>
  readonly clock: Pick<Clock, 'now'>
  /** Names this process. */
  readonly worker: string
}

/** The slices of one author's posts, as they are pushed one after the other. */
export interface SliceRecord {
  /** What became of each post, follower by follower. */
  done(followers: readonly number[], pushed: readonly Pushed[]): void
  /** The pushes are not known to have landed; they are done again. */
  failed(followers: readonly number[]): void
  /** There are no more. */
  end(): void
}

/** What is done of the posts of one batch. */
export interface BatchRecord {
  slices(ids: readonly PostId[], delivery: Delivery): SliceRecord
  /** Posts of which nothing is pushed. */
  whole(ids: readonly PostId[], delivery: Delivery, work: 'pulled' | 'backlog'): void
  /** The batch was worked off. */
  close(): void
  /** It was not, and comes again. */
  fail(): void
}

/** Rows of a large author are handed on before the batch ends, so that one can see how far it is. */
const EARLY_WEIGHT = 20_000

/**
 * One for each lane or partition: knows whether its batches fail, so that each try of a long outage is not recorded, not
 * even the slices that it gets done.
 */
export function createRecords(
  context: RecordContext,
  partition: number
): (events: readonly LoggedEvent[]) => BatchRecord {
  let failing = false
  return events => {
    const rows = new Rows(context, partition, events, failing ? Infinity : EARLY_WEIGHT)
    return {
      slices: (ids, delivery) => recordSlices(rows, ids, delivery),
      whole(ids, delivery, work) {
        for (const id of ids) rows.add({ ...NOTHING, post: id, delivery, work })
      },
      close() {
        failing = false
        rows.write()
      },
      fail() {
        if (!failing) rows.write()
        failing = true
      }
    }
  }
}

type Content = Omit<LedgerRow, 'event' | 'lane' | 'partition' | 'offset' | 'worker' | 'at'>

const NOTHING: Omit<Content, 'post' | 'delivery' | 'work'> = {
  ...{ slice: 0, slices: null, first: 0, last: 0 },
  ...{ pushed: 0, cold: 0, late: 0, failed: 0, took: [] }
}

/** Rows of a batch, each with where its event came from. */
class Rows {
  readonly #context: RecordContext
  readonly #partition: number
  readonly #events: ReadonlyMap<PostId, LoggedEvent>
  readonly #earlyWeight: number
  #rows: LedgerRow[] = []
  #weight = 0

  constructor(
    context: RecordContext,
    partition: number,
    events: readonly LoggedEvent[],
    earlyWeight: number
  ) {
    this.#context = context
    this.#partition = partition
    this.#earlyWeight = earlyWeight
    this.#events = new Map(
      events.flatMap(one => (one.event.type === 'post' ? [[one.event.post, one]] : []))
    )
  }

  add(content: Content): void {
    const event = this.#events.get(content.post)
    if (event === undefined || !isPostId(content.post)) return
    const { id, lane, offset = null } = event
    const partition = offset === null ? null : this.#partition
    const { worker, clock } = this.#context
    const row = { ...content, event: id, lane, partition, offset, worker, at: clock.now() }
    this.#rows.push(row)
    this.#weight += weightOf([row])
    if (this.#weight >= this.#earlyWeight) this.write()
  }

  write(): void {
    this.#context.ledger.write(this.#rows)
    this.#rows = []
    this.#weight = 0
  }
}

function recordSlices(rows: Rows, ids: readonly PostId[], delivery: Delivery): SliceRecord {
  let slice = 0
  /** Kept until it is known whether they are the last ones. */
  let latest: Content[] = []
  const hand = (slices: number | null) => {
    for (const content of latest) rows.add({ ...content, slices })
    latest = []
  }
  const next = (work: LedgerWork, followers: readonly number[]) => {
    hand(null)
    const [first = 0] = followers
    return { ...NOTHING, delivery, work, slice: ++slice, first, last: followers.at(-1) ?? 0 }
  }
  return {
    done(followers, pushed) {
      const common = next('pushed', followers)
      latest = ids.map((post, index) => {
        const own = pushed.slice(index * followers.length, (index + 1) * followers.length)
        return { ...common, post, ...outcome(followers, own) }
      })
    },
    failed(followers) {
      const common = next('failed', followers)
      latest = ids.map(post => ({ ...common, post, failed: followers.length }))
      hand(null)
    },
    end() {
      if (slice === 0) this.done([], [])
      hand(slice)
    }
  }
}

function outcome(followers: readonly number[], pushed: readonly Pushed[]) {
  const count = (what: Pushed) => pushed.reduce((sum, one) => (one === what ? sum + 1 : sum), 0)
  const [cold, late, failed] = [count('cold'), count('late'), count('dropped')]
  const all = cold + failed === 0
  const took = all ? followers : followers.filter((_, index) => isIn(pushed[index]))
  return { pushed: took.length, cold, late, failed, took }
}

function isIn(pushed: Pushed | undefined): boolean {
  return pushed === 'pushed' || pushed === 'late'
}
