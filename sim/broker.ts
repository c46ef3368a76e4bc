import type { LoggedEvent } from '../packages/server/src/domain/event.ts'
import type { Takeover } from '../packages/server/src/ports/event-log.ts'
import type { Network } from './network.ts'

/** What the broker asks of a member of the group; a call that a dead or frozen process does not hear. */
export interface Member {
  /** Gets a partition. */
  assign(partition: number, generation: number): void
  /** Is to end with it; resolves when nothing of it is written any more. */
  revoke(partition: number): Promise<void>
  /** Has lost it already. */
  lose(partition: number): void
  /** Whether its heartbeats arrive. */
  beats(): boolean
}

interface Appended {
  readonly event: LoggedEvent
  readonly at: number
}

interface Partition {
  readonly events: Appended[]
  /** The first offset whose work is not known to be done. */
  committed: number
  owner: Member | null
  generation: number
  /** Being handed over. */
  moving: boolean
}

/** A member that is not heard of for so long loses its partitions. */
const SESSION_MS = 8000
const LOOK_MS = 3000
/** How far back a new owner is told of work that is done. */
const PAST_MS = 20_000

/** A log with partitions that outlives processes: members of one group share them, a zombie commits nothing. */
export class Broker {
  readonly #network: Network
  readonly #partitions: readonly Partition[]
  /** Dead ones, too, which are never heard of again. */
  readonly #members: Member[] = []
  /** Partitions of which nothing is read for now. */
  readonly held = new Set<number>()
  readonly #silentSince = new Map<Member, number>()

  constructor(network: Network, partitions: number) {
    this.#network = network
    this.#partitions = Array.from({ length: partitions }, () => ({
      events: [],
      committed: 0,
      owner: null,
      generation: 0,
      moving: false
    }))
    this.#watch()
  }

  get size(): number {
    return this.#partitions.length
  }

  join(member: Member): void {
    this.#members.push(member)
  }

  append(events: readonly LoggedEvent[]): void {
    const at = this.#network.scheduler.now
    for (const event of events) this.#of(event.lane).events.push({ event, at })
  }

  /** Events from an offset on; none while the partition is held back. */
  read(partition: number, from: number, limit: number): readonly LoggedEvent[] {
    const { events } = this.#at(partition)
    if (this.held.has(partition)) return []
    return events.slice(from, from + limit).map(({ event }) => event)
  }

  /** Where a new owner begins, and what its predecessor may have had in work. */
  beginning(partition: number): { readonly offset: number; readonly past: Takeover } {
    const { events, committed, generation } = this.#at(partition)
    const since = this.#network.scheduler.now - PAST_MS
    const done = events.slice(0, committed).filter(({ at }) => at > since)
    const ahead = generation > 1 ? this.read(partition, committed, 1000) : []
    return { offset: committed, past: { done: done.map(({ event }) => event), ahead } }
  }

  /** Who has lost the partition commits nothing. */
  commit(partition: number, generation: number, offset: number): boolean {
    const found = this.#at(partition)
    if (found.generation !== generation) return false
    found.committed = offset
    return true
  }

  /** Offsets committed lately are forgotten: their events come again. */
  rewind(partition: number, by: number): void {
    const found = this.#at(partition)
    found.committed = Math.max(0, found.committed - by)
    this.#take(found, partition)
  }

  pending(): number {
    return this.#partitions.reduce(
      (sum, { events, committed }) => sum + events.length - committed,
      0
    )
  }

  /** Gives a partition to another member, who begins when the former one has ended, or was silent for too long. */
  async rebalance(partition: number): Promise<void> {
    const found = this.#at(partition)
    if (found.moving) return
    found.moving = true
    const { owner } = found
    const timeout = new Promise<void>(resolve => this.#network.scheduler.after(SESSION_MS, resolve))
    await Promise.race([owner?.revoke(partition), timeout])
    found.moving = false
    if (found.owner === owner) this.#take(found, partition)
  }

  /** The partition is free at once. */
  #take(found: Partition, partition: number): void {
    const { owner } = found
    found.owner = null
    found.generation++
    owner?.lose(partition)
    this.#assign()
  }

  #assign(): void {
    const able = this.#members.filter(member => member.beats())
    if (able.length === 0) return
    for (const [partition, found] of this.#partitions.entries()) {
      if (found.owner !== null) continue
      found.owner = this.#network.chance.pick(able)
      found.generation++
      found.owner.assign(partition, found.generation)
    }
  }

  #watch(): void {
    const { scheduler } = this.#network
    for (const member of this.#members) {
      if (member.beats()) this.#silentSince.delete(member)
      else if (!this.#silentSince.has(member)) this.#silentSince.set(member, scheduler.now)
    }
    const silent = (member: Member | null) =>
      member !== null &&
      scheduler.now - (this.#silentSince.get(member) ?? scheduler.now) >= SESSION_MS
    for (const [partition, found] of this.#partitions.entries())
      if (silent(found.owner)) this.#take(found, partition)
    this.#assign()
    scheduler.after(LOOK_MS, () => this.#watch())
  }

  #of(lane: number): Partition {
    return this.#at(lane % this.#partitions.length)
  }

  #at(partition: number): Partition {
    return this.#partitions[partition] as Partition
  }
}
