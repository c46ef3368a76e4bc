import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly node: string
  /** With `+` where sources were changed since. */
  readonly commit: string
  /** How much of the machine others used just before, in percent: far above 0, the numbers are theirs too. */
  readonly othersPercent: number
}

/** From the folder of this file. */
const SOURCES = ['../../packages', '..', ':!../results']
const REST_MS = 2000
const LOOK_MS = 3000

export async function describeMachine(): Promise<Machine> {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    commit:
      git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '--', ...SOURCES) && '+'),
    othersPercent: await busyPercent()
  }
}

function git(...args: string[]): string {
  try {
    return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  } catch {
    return ''
  }
}

/** How much of all cores is in use while this process waits; what it ran before has ended by then. */
async function busyPercent(): Promise<number> {
  await wait(REST_MS)
  const before = times()
  await wait(LOOK_MS)
  const after = times()
  const all = after.all - before.all
  return all === 0 ? 0 : Math.round(100 * (1 - (after.idle - before.idle) / all))
}

function times(): { readonly idle: number; readonly all: number } {
  let [idle, all] = [0, 0]
  for (const { times: of } of cpus()) {
    idle += of.idle
    all += of.idle + of.user + of.nice + of.sys + of.irq
  }
  return { idle, all }
}
