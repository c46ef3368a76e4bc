import {
  finished,
  firstRead,
  type ListPage,
  longerRead,
  lowestFloorOf,
  settled,
  takeFrom
} from '../../domain/arrival-list.ts'
import { type Entry, lateEntry } from '../../domain/entry.ts'
import { type FeedsLimits, LATE_MS, lifeMs } from '../../domain/limits.ts'
import { boundAt, type PostId } from '../../domain/post-id.ts'
import type { ListKey, Push, Pushed } from '../../ports/feeds.ts'
import type { Command, Commands } from './commands.ts'
import { digestOf } from './digest.ts'
import type { Keys } from './keys.ts'
import type { ListEngine } from './list-engine.ts'
import { BEGIN, READ_HEAD, RENEW, REPLACE } from './list-scripts.ts'
import { type PushWrite, pushEach } from './push-each.ts'
import { renewBelowMs } from './renewal.ts'

export interface EngineOptions {
  readonly commands: Commands
  readonly keys: Keys
  readonly limits: FeedsLimits
}

const SWAPS_MAX = 10
const patient = { patient: true }
const hasty = { patient: false }

/** Lists in arrival order, by the rules of domain/arrival-list.ts. */
export class RedisLists implements ListEngine {
  readonly #commands: Commands
  readonly #keys: Keys
  readonly #limits: EngineOptions['limits']

  constructor({ commands, keys, limits }: EngineOptions) {
    this.#commands = commands
    this.#keys = keys
    this.#limits = limits
  }

  push(pushes: readonly Push[]): Promise<readonly Pushed[]> {
    const { cap, slack } = this.#limits
    const lateBelow = lateBounds()
    return pushEach(this.#commands, this.#keys, pushes, {
      write: (key, pushes) => writeOf(key, pushes, lateBelow),
      after: (key, length) =>
        Number(length) > cap + slack
          ? { key, args: () => ['LTRIM', key, '0', String(cap - 1)] }
          : undefined
    })
  }

  async take(list: ListKey, below: PostId, limit: number): Promise<ListPage> {
    const key = this.#keys.list(list)
    for (let length = firstRead(limit); ; length = longerRead(length)) {
      const reply = await this.#commands.ask('take', headCommand(key, length), hasty)
      const [head, last, total, ttl] = reply as [Entry[], Entry | null, number, number]
      const read = { head, last: last ?? undefined, whole: total <= length }
      const page = takeFrom(read, below, limit)
      if (page === null) continue
      if (page.state === 'warm' && ttl < renewBelowMs(this.#limits)) await this.#renew(key)
      return page
    }
  }

  async lowestFloor(list: ListKey): Promise<PostId | null> {
    return lowestFloorOf(await this.#read(this.#keys.list(list)))
  }

  async begin(list: ListKey, token: string): Promise<boolean> {
    const argv = [token, String(this.#limits.buildMs)]
    const command = { key: this.#keys.list(list), script: BEGIN, argv }
    return (await this.#commands.ask('begin', command, patient)) === 1
  }

  finish(list: ListKey, token: string, ids: readonly PostId[], complete: boolean) {
    const life = lifeMs(this.#limits, ids.length === 0)
    const { cap } = this.#limits
    return this.#swap(list, entries => finished(entries, token, ids, complete, cap), life)
  }

  async settle(list: ListKey): Promise<void> {
    await this.#swap(list, entries => settled(entries, this.#limits.cap))
  }

  async remove(list: ListKey, ids: readonly PostId[]): Promise<void> {
    const key = this.#keys.list(list)
    const forms = ids.flatMap(id => [id, lateEntry(id)])
    const commands = forms.map(form => ({ key, args: () => ['LREM', key, '0', form] }))
    for (const outcome of await this.#commands.run('remove', commands, patient))
      if ('failure' in outcome) throw outcome.failure
  }

  /** Replaces a list by what `change` makes of it, if nobody changed it meanwhile; else tries again. */
  async #swap(
    list: ListKey,
    change: (entries: readonly Entry[]) => readonly Entry[] | null,
    ttlMs?: number
  ): Promise<boolean> {
    const key = this.#keys.list(list)
    for (let swap = 0; swap < SWAPS_MAX; swap++) {
      const before = await this.#read(key)
      const after = change(before)
      if (after === null) return false
      const argv = [digestOf(before), String(ttlMs ?? ''), ...after]
      const reply = await this.#commands.ask('swap', { key, script: REPLACE, argv }, patient)
      if (reply === 1) return true
    }
    return false
  }

  async #read(key: string): Promise<readonly Entry[]> {
    const args = () => ['LRANGE', key, '0', '-1']
    return (await this.#commands.ask('read', { key, args }, patient)) as Entry[]
  }

  /** A read that succeeded is not lost because its list could not be renewed. */
  async #renew(key: string): Promise<void> {
    const argv = [String(this.#limits.idleMs)]
    await this.#commands.ask('renew', { key, script: RENEW, argv }, hasty).catch(() => {})
  }
}

function headCommand(key: string, length: number): Command {
  return {
    key,
    atomic: [
      ['LRANGE', key, '0', String(length - 1)],
      ['LINDEX', key, '-1'],
      ['LLEN', key],
      ['PTTL', key]
    ],
    whole: { script: READ_HEAD, argv: [String(length - 1)] }
  }
}

/** The first that is pushed goes deepest. */
function writeOf(
  key: string,
  pushes: readonly Push[],
  lateBelow: (serverNow: number) => PostId
): PushWrite {
  let bound: PostId = ''
  const isLate = ({ id, late }: Push) => late === true || id < bound
  const args = (now: number) => {
    bound = lateBelow(now)
    return ['LPUSHX', key, ...pushes.map(push => (isLate(push) ? lateEntry(push.id) : push.id))]
  }
  return { command: { key, timely: true, args }, isLate }
}

/** Many pushes are written in the same ms. */
function lateBounds(): (serverNow: number) => PostId {
  let at = Number.NaN
  let bound: PostId = ''
  return serverNow => {
    const ms = Math.floor(serverNow)
    if (ms !== at) bound = boundAt(ms - LATE_MS)
    at = ms
    return bound
  }
}
