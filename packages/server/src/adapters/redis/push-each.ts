import type { ListKey, Push } from '../../ports/feeds.ts'
import type { Command, Commands } from './commands.ts'
import type { Keys } from './keys.ts'
import type { Reply } from './link.ts'

export interface PushWriter {
  /** What pushes to one list become: one command. */
  write(key: string, pushes: readonly Push[]): Command
  /** What the reply asks for next. */
  after(key: string, reply: Reply): Command | undefined
}

const patient = { patient: true }

/**
 * One command per list. A list that has no room is dropped: dropping works where pushing does not. Rejects when
 * something is neither pushed nor dropped.
 */
export async function pushEach(
  commands: Commands,
  keys: Keys,
  pushes: readonly Push[],
  writer: PushWriter
): Promise<void> {
  const lists = [...byList(pushes)].map(([list, pushes]) => ({ key: keys.list(list), pushes }))
  const writes = lists.map(({ key, pushes }) => writer.write(key, pushes))
  const outcomes = await commands.run('push', writes, patient)
  const next: Command[] = []
  const drops: Command[] = []
  let failure: Error | undefined
  for (const [i, { key }] of lists.entries()) {
    const outcome = outcomes[i]
    if (outcome === undefined) continue
    if ('reply' in outcome) next.push(...[writer.after(key, outcome.reply) ?? []].flat())
    else if (outcome.failure.kind === 'oom') drops.push(dropCommand(key))
    else failure = outcome.failure
  }
  // A list that could not be trimmed is trimmed after the next push.
  await commands.run('trim', next, patient)
  await runAll(commands, 'drop', drops)
  if (failure !== undefined) throw failure
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

function byList(pushes: readonly Push[]): Map<ListKey, Push[]> {
  const lists = new Map<ListKey, Push[]>()
  for (const push of pushes) {
    const list = lists.get(push.list)
    if (list === undefined) lists.set(push.list, [push])
    else list.push(push)
  }
  return lists
}
