import type { Explanation, PostDelivery } from '@fanwise/sdk'
import type { Command } from 'commander'
import { ofReader } from '../of-reader.ts'
import type { Runtime } from '../runtime.ts'
import { session, withServer } from './shared.ts'

export function addExplainCommand(program: Command, runtime: Runtime): void {
  program
    .command('explain <reader> <post>')
    .description("why a post is, or is not, in a reader's feed")
    .action(async (reader: string, post: string, _: object, command: Command) => {
      const { flags, output } = session(command)
      const found = await withServer(runtime, flags, ({ admin }) =>
        ofReader(reader, admin.explain(reader, post))
      )
      output.result(found, describeExplanation(found))
    })
}

/** What an operator reads: the answer, then what it rests on. */
export function describeExplanation(found: Explanation): string[] {
  const { reader, author, shown, reasons, position, page, feed, event, records } = found
  const verdict = shown ? 'shows' : 'does not show'
  return [
    `The feed of ${reader} ${verdict} the post ${found.post}${author === null ? '' : ` of ${author}`}.`,
    ...reasons.map(({ code, message }) => `  ${code}: ${message}`),
    ...(position === null ? [] : [`  It is number ${position}, on page ${page} of 20 posts each.`]),
    `feed      ${feed.state}${feed.floor === null ? '' : `, complete above ${feed.floor}`}`,
    ...(event === null ? [] : [`event     ${describeEvent(event)}`]),
    ...records.map(
      ({ at, worker, work, mode, slice, took, ...counts }) =>
        `record    ${at} ${worker}: ${work} (${mode}), slice ${slice}, ${took ? 'took it' : 'did not take it'}; ${describeCounts(counts)}`
    ),
    ...(found.delivery === null ? [] : [`delivery  ${describeDelivery(found.delivery)}`])
  ]
}

function describeEvent(event: NonNullable<Explanation['event']>): string {
  const { id, lane, partition, offset, relayedAt, givenUp } = event
  return [
    `${id} in lane ${lane}`,
    ...(partition === null ? [] : [`partition ${partition} offset ${offset}`]),
    relayedAt === null ? 'not relayed yet' : `relayed at ${relayedAt}`,
    ...(givenUp === null ? [] : [`given up at ${givenUp.at}: ${givenUp.reason}`])
  ].join(', ')
}

function describeDelivery(delivery: PostDelivery): string {
  const { state, slices, followers, doneAt } = delivery
  return [
    state,
    `${slices.done} of ${slices.of} slices of ${followers} followers`,
    describeCounts(delivery),
    ...(doneAt === null ? [] : [`done at ${doneAt}`])
  ].join(', ')
}

function describeCounts({
  pushed,
  cold,
  late,
  failed
}: Pick<PostDelivery, 'pushed' | 'cold' | 'late' | 'failed'>): string {
  return `${pushed} pushed (${late} late), ${cold} cold, ${failed} failed`
}
