import type { ListKey, Push, Pushed } from '../../ports/feeds.ts'
import { type Command, type Commands, DROPPED, type Outcome } from './commands.ts'
import type { FailureKind } from './failure.ts'
import type { Keys } from './keys.ts'
import type { Reply } from './link.ts'

/** What pushes to one list become: one command. */
export interface PushWrite {
  readonly command: Command
  /** Whether it was last written with this push marked late. */
  readonly isLate: (push: Push) => boolean
}

export interface PushWriter {
  write(key: string, pushes: readonly Push[]): PushWrite
  /** What the reply asks for next. */
  after(key: string, reply: Reply): Command | undefined
}

const patient = { patient: true }

const CURED_BY_DROPPING: ReadonlySet<FailureKind> = new Set(['oom', 'othertype'])

/**
 * One command per list. A list that has no room, or was made under another FANWISE_FEEDS, is dropped: dropping works
 * where pushing does not. Rejects when something is neither pushed nor dropped.
 */
export async function pushEach(
  commands: Commands,
  keys: Keys,
  pushes: readonly Push[],
  writer: PushWriter
): Promise<readonly Pushed[]> {
  const lists = [...byList(pushes)].map(([list, places]) => {
    const key = keys.list(list)
    return {
      key,
      places,
      ...writer.write(
        key,
        places.map(place => place.push)
      )
    }
  })
  const outcomes = await commands.run(
    'push',
    lists.map(({ command }) => command),
    patient
  )
  const next: Command[] = []
  const drops: Command[] = []
  const pushed: Pushed[] = pushes.map(() => 'cold')
  let failure: Error | undefined
  for (const [i, { key, places, isLate }] of lists.entries()) {
    const outcome = outcomes[i]
    if (outcome === undefined) continue
    for (const { push, index } of places) pushed[index] = pushedBy(outcome, isLate(push))
    if ('reply' in outcome) {
      const command = writer.after(key, outcome.reply)
      if (command !== undefined) next.push(command)
    } else if (CURED_BY_DROPPING.has(outcome.failure.kind)) drops.push(dropCommand(key))
    else failure = outcome.failure
  }
  // A list that could not be trimmed is trimmed after the next push.
  await commands.run('trim', next, patient)
  await runAll(commands, 'drop', drops)
  if (failure !== undefined) throw failure
  return pushed
}

function pushedBy(outcome: Outcome, late: boolean): Pushed {
  if (!('reply' in outcome) || outcome.reply === DROPPED) return 'dropped'
  if (outcome.reply === 0) return 'cold'
  return late ? 'late' : 'pushed'
}

export function dropCommand(key: string): Command {
  return { key, args: () => ['UNLINK', key] }
}

/** @throws RedisFailure unless all were done */
export async function runAll(
  commands: Commands,
  op: string,
  all: readonly Command[]
): Promise<void> {
  for (const outcome of await commands.run(op, all, patient))
    if ('failure' in outcome) throw outcome.failure
}

/** A push and where it stands among all. */
interface Place {
  readonly push: Push
  readonly index: number
}

function byList(pushes: readonly Push[]): Map<ListKey, Place[]> {
  const lists = new Map<ListKey, Place[]>()
  for (const [index, push] of pushes.entries()) {
    const list = lists.get(push.list)
    if (list === undefined) lists.set(push.list, [{ push, index }])
    else list.push({ push, index })
  }
  return lists
}
