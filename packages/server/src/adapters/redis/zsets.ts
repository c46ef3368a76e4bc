import type { ListPage } from '../../domain/arrival-list.ts'
import { type Entry, idOf, isBuild, isFloor } from '../../domain/entry.ts'
import { lifeMs } from '../../domain/limits.ts'
import { BEGINNING, END, type PostId, timeOf } from '../../domain/post-id.ts'
import type { ListKey, Push, Pushed } from '../../ports/feeds.ts'
import type { Command, Commands } from './commands.ts'
import type { Keys } from './keys.ts'
import type { ListEngine } from './list-engine.ts'
import type { EngineOptions } from './lists.ts'
import { pushEach } from './push-each.ts'
import { renewBelowMs } from './renewal.ts'
import { BEGIN, FINISH, PUSH, READ, RENEW } from './zset-scripts.ts'

const patient = { patient: true }
const hasty = { patient: false }
const COLD: ListPage = { state: 'cold', ids: [], floor: END, unsettled: false }

/** Sorted sets: every id stands in its place, late or not, and the floor is always told. Twice the memory of lists. */
export class RedisZsets implements ListEngine {
  readonly #commands: Commands
  readonly #keys: Keys
  readonly #limits: EngineOptions['limits']

  constructor({ commands, keys, limits }: EngineOptions) {
    this.#commands = commands
    this.#keys = keys
    this.#limits = limits
  }

  push(pushes: readonly Push[]): Promise<readonly Pushed[]> {
    const bounds = [String(this.#limits.cap), String(this.#limits.slack)]
    return pushEach(this.#commands, this.#keys, pushes, {
      write: (key, pushes) => {
        const argv = [...bounds, ...scored(pushes.map(push => push.id))]
        return { command: { key, script: PUSH, argv }, isLate: () => false }
      },
      after: () => undefined
    })
  }

  async take(list: ListKey, below: PostId, limit: number): Promise<ListPage> {
    const key = this.#keys.list(list)
    for (let count = Math.max(32, 2 * limit); ; count *= 4) {
      const reply = await this.#commands.ask('take', readCommand(key, below, count), hasty)
      const [members, [last], ttl] = reply as [Entry[], Entry[], number]
      const page = takeFromZset({ members, last, whole: members.length < count }, below, limit)
      if (page === null) continue
      if (page.state === 'warm' && ttl < renewBelowMs(this.#limits)) await this.#renew(key)
      return page
    }
  }

  async lowestFloor(list: ListKey): Promise<PostId | null> {
    const key = this.#keys.list(list)
    const args = () => ['ZRANGE', key, '-1', '-1']
    const [last] = (await this.#commands.ask('read', { key, args }, patient)) as Entry[]
    if (last === undefined) return null
    return isBuild(last) ? BEGINNING : isFloor(last) ? idOf(last) : null
  }

  async begin(list: ListKey, token: string): Promise<boolean> {
    return this.#run('begin', list, BEGIN, [token, String(this.#limits.buildMs)])
  }

  async finish(
    list: ListKey,
    token: string,
    ids: readonly PostId[],
    complete: boolean
  ): Promise<boolean> {
    const { cap } = this.#limits
    const life = lifeMs(this.#limits, ids.length === 0)
    const floor = ids[cap] ?? (complete ? BEGINNING : (ids.at(-1) ?? ''))
    const kept = scored(ids.filter(id => id > floor))
    return this.#run('finish', list, FINISH, [token, String(life), String(cap), floor, ...kept])
  }

  async settle(): Promise<void> {}

  async remove(list: ListKey, ids: readonly PostId[]): Promise<void> {
    const key = this.#keys.list(list)
    if (ids.length === 0) return
    await this.#commands.ask('remove', { key, args: () => ['ZREM', key, ...ids] }, patient)
  }

  async #run(op: string, list: ListKey, script: typeof BEGIN, argv: readonly string[]) {
    const command: Command = { key: this.#keys.list(list), script, argv }
    return (await this.#commands.ask(op, command, patient)) === 1
  }

  async #renew(key: string): Promise<void> {
    const argv = [String(this.#limits.idleMs)]
    await this.#commands.ask('renew', { key, script: RENEW, argv }, hasty).catch(() => {})
  }
}

export interface ZsetRead {
  /** From the bound's ms on: newest ms first, ids of one ms ascending, the marker last of all. */
  readonly members: readonly Entry[]
  /** The last member of all. */
  readonly last: Entry | undefined
  readonly whole: boolean
}

/** Null when the read is too short to tell. */
export function takeFromZset(read: ZsetRead, below: PostId, limit: number): ListPage | null {
  const { members, last, whole } = read
  if (last === undefined || (!isFloor(last) && !isBuild(last))) return COLD
  if (isBuild(last)) return { ...COLD, state: 'building' }
  const floor = idOf(last)
  const known = whole ? members : withoutLastMs(members)
  const ids = known
    .filter(id => !isFloor(id) && id < below && id > floor)
    .sort()
    .reverse()
  if (!whole && ids.length < limit) return null
  return { state: 'warm', ids: ids.slice(0, limit), floor, unsettled: false }
}

/** The newest ids of the ms in which a read ends may not have been read. */
function withoutLastMs(members: readonly Entry[]): readonly Entry[] {
  const ms = members.findLast(id => !isFloor(id))
  return ms === undefined ? [] : members.filter(id => isFloor(id) || timeOf(id) > timeOf(ms))
}

function readCommand(key: string, below: PostId, count: number): Command {
  const lowest = below === END ? '-inf' : scoreOf(below)
  return {
    key,
    atomic: [
      ['ZRANGE', key, lowest, '+inf', 'BYSCORE', 'LIMIT', '0', String(count)],
      ['ZRANGE', key, '-1', '-1'],
      ['PTTL', key]
    ],
    whole: { script: READ, argv: [lowest, String(count)] }
  }
}

function scored(ids: readonly PostId[]): string[] {
  return ids.flatMap(id => [scoreOf(id), id])
}

function scoreOf(id: PostId): string {
  return `-${timeOf(id)}`
}
