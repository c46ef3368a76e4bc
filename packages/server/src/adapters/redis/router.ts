import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { Command, Commands, Outcome, RunOptions } from './commands.ts'
import { type FailureKind, failureOf, RedisFailure } from './failure.ts'
import type { Reply } from './link.ts'
import type { RedisNode } from './node.ts'
import { slotOf } from './slots.ts'
import type { Topology } from './topology.ts'
import { withDeadline } from './with-deadline.ts'

export interface RouterOptions {
  readonly topology: Topology
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** For a whole run, retries included. */
  readonly timeoutMs: number
}

const PAUSE_MS = 5
const PAUSE_MAX_MS = 100
/** Commands in one round: the replies of many are held until all are there. */
const ROUND_MAX = 5000

/** A run at work: what is asked, what came of it, and where to ask once instead. */
interface Run {
  readonly commands: readonly Command[]
  readonly outcomes: Outcome[]
  readonly asks: Map<number, string>
  readonly deadline: number
}

const NO_ANSWER: Outcome = { failure: new RedisFailure('unknown', 'Redis did not answer in time') }

export function createRouter(options: RouterOptions): Commands {
  const { clock, telemetry } = options
  async function run(op: string, commands: readonly Command[], { patient }: RunOptions) {
    const begun = clock.monotonic()
    const deadline = begun + options.timeoutMs
    const outcomes: Outcome[] = commands.map(() => NO_ANSWER)
    const work: Run = { commands, outcomes, asks: new Map(), deadline }
    let pending = commands.map((_, i) => i)
    for (let attempt = 0; ; attempt++) {
      await runRound(options, work, pending)
      pending = pending.filter(i => mayRetry(options.topology, work, i, patient))
      if (pending.length === 0 || clock.monotonic() >= deadline) break
      telemetry.count('feeds_retries', pending.length, { op })
      await clock.sleep(attempt === 0 ? 0 : Math.min(PAUSE_MS * 2 ** attempt, PAUSE_MAX_MS))
    }
    telemetry.observe('feeds_command_ms', clock.monotonic() - begun, { op })
    return [...outcomes]
  }
  return {
    async run(op, commands, options) {
      if (commands.length <= ROUND_MAX) return run(op, commands, options)
      const all: Outcome[] = []
      for (let i = 0; i < commands.length; i += ROUND_MAX)
        all.push(...(await run(op, commands.slice(i, i + ROUND_MAX), options)))
      return all
    },
    async ask(op, command, options) {
      const [outcome = NO_ANSWER] = await run(op, [command], options)
      if ('failure' in outcome) throw outcome.failure
      return outcome.reply
    }
  }
}

/** Sends what is pending, node by node in one pipeline each, and takes the answers until the deadline. */
async function runRound(options: RouterOptions, run: Run, pending: readonly number[]) {
  const { clock } = options
  const open = new Map<number, RedisNode>()
  const answers = pending.map(async i => {
    run.outcomes[i] = NO_ANSWER
    try {
      run.outcomes[i] = { reply: await sendOne(options.topology, run, i, open) }
    } catch (error) {
      run.outcomes[i] = { failure: failureOf(error) }
    }
    open.delete(i)
  })
  const timeoutMs = Math.max(1, run.deadline - clock.monotonic())
  await withDeadline(Promise.all(answers), { clock, timeoutMs }).catch(() => {})
  for (const node of new Set(open.values())) node.stall()
}

function sendOne(
  topology: Topology,
  run: Run,
  i: number,
  open: Map<number, RedisNode>
): Promise<Reply> {
  const command = run.commands[i]
  const ask = run.asks.get(i)
  run.asks.delete(i)
  const node = ask === undefined ? topology.nodeOf(command?.key ?? '') : topology.nodeAt(ask)
  if (node === undefined || command === undefined)
    throw new RedisFailure('unsent', 'No server is known for this key')
  open.set(i, node)
  return node.send(command, ask !== undefined)
}

const FINAL: ReadonlySet<FailureKind> = new Set(['oom', 'refused', 'noscript', 'othertype'])

/** Whether it failed in a way that another try may mend; learns on the way where slots have gone. */
function mayRetry(topology: Topology, run: Run, i: number, patient: boolean): boolean {
  const outcome = run.outcomes[i]
  const key = run.commands[i]?.key ?? ''
  if (outcome === undefined || 'reply' in outcome) return false
  const { kind, redirect } = outcome.failure
  if (kind === 'moved' && redirect) topology.moved(redirect.slot, redirect.address)
  if (kind === 'ask' && redirect) run.asks.set(i, redirect.address)
  if (kind === 'moved' || kind === 'ask') return true
  if (kind === 'wait') return patient || outcome.failure.message.startsWith('TRYAGAIN')
  if (FINAL.has(kind)) return false
  topology.suspect(slotOf(key))
  return patient && (topology.nodeOf(key)?.mayReturn ?? topology.mayReturn)
}
