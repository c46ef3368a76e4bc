import type { DeadEvent, DeadRecord } from '@fanwise/sdk'
import type { Command } from 'commander'
import {
  aboutDead,
  chooseDead,
  type DeadList,
  listDead,
  type Retried,
  retryDead
} from '../dead-events.ts'
import type { Runtime } from '../runtime.ts'
import { table } from '../table.ts'
import { session, wholeNumber, withServer } from './shared.ts'

const RECORDS_MAX = 100

/** dead list, retry, drop. */
export function addDeadCommands(program: Command, runtime: Runtime): void {
  const dead = program
    .command('dead')
    .description('events that failed again and again: look at them, retry or forget them')
  addList(dead, runtime)
  addRetry(dead, runtime)
  addDrop(dead, runtime)
}

function addList(dead: Command, runtime: Runtime): void {
  dead
    .command('list')
    .description('what was given up in the last 7 days, the oldest first')
    .option('--limit <n>', 'so many events at most', '20')
    .action(async (options: { limit: string }, command: Command) => {
      const { flags, output } = session(command)
      const limit = wholeNumber('--limit', options.limit, 1)
      const found = await withServer(runtime, flags, async ({ admin }) => ({
        ...(await listDead(admin, limit)),
        records: await admin.deadRecords(Math.min(limit, RECORDS_MAX))
      }))
      output.result(found, [...describeEvents(found), ...describeRecords(found.records)])
    })
}

function addRetry(dead: Command, runtime: Runtime): void {
  dead
    .command('retry [id...]')
    .description('have events published once more; exit code 1 if one fails again')
    .option('--all', 'every one', false)
    .action(async (ids: string[], { all }: { all: boolean }, command: Command) => {
      const { flags, output } = session(command)
      const retried = await withServer(runtime, flags, async ({ admin }) =>
        retryDead(admin, await chooseDead(admin, ids, all))
      )
      output.result(retried, describeRetried(retried))
      if (retried.again.length > 0) process.exitCode = 1
    })
}

function addDrop(dead: Command, runtime: Runtime): void {
  dead
    .command('drop [id...]')
    .description('forget events; the lists that they would have changed were dropped before')
    .option('--all', 'every event', false)
    .option('--records', 'instead: the oldest 100 records of the log that are no events', false)
    .action(async (ids: string[], which: { all: boolean; records: boolean }, command: Command) => {
      const { flags, output } = session(command)
      await withServer(runtime, flags, async ({ admin }) => {
        if (which.records) {
          const records = await admin.deadRecords(RECORDS_MAX)
          const last = records.at(-1)
          if (last !== undefined) await admin.dropDeadRecords(last.position)
          return output.result({ records }, [
            ...describeRecords(records),
            `${records.length} records forgotten`
          ])
        }
        const events = await chooseDead(admin, ids, which.all)
        for (const { id } of events) await admin.dropDead(id)
        output.result({ dropped: events }, describeDropped(events))
      })
    })
}

function describeEvents({ events, more }: DeadList): string[] {
  if (events.length === 0) return ['No event was given up.']
  const rows = events.map(event => [
    ...[event.id, event.type, aboutDead(event), event.diedAt],
    ...[String(event.attempts), event.reason.replace(/\s+/g, ' ')]
  ])
  return [
    ...table([['ID', 'TYPE', 'ABOUT', 'GIVEN UP', 'TIMES', 'REASON'], ...rows]),
    ...(more ? ['There are more: --limit'] : [])
  ]
}

function describeRecords(records: readonly DeadRecord[]): string[] {
  if (records.length === 0) return []
  const rows = records.map(({ position, partition, offset, reason, value }) => [
    ...[position, `${partition}/${offset}`, reason, value.replace(/\s+/g, ' ').slice(0, 60)]
  ])
  return [
    ...['', 'Records of the log that are no events; find who wrote them:'],
    ...table([['RECORD', 'WAS AT', 'REASON', 'VALUE'], ...rows])
  ]
}

function describeRetried({ retried, again, settled }: Retried): string[] {
  const failed = again.length > 0 ? [`${again.length} failed again:`] : []
  return [
    `${retried} events published once more`,
    ...(settled ? [] : ['not all are worked off yet; `fanwise dead list` tells what fails again']),
    ...failed,
    ...(again.length > 0 ? describeEvents({ events: again, more: false }) : [])
  ]
}

function describeDropped(events: readonly DeadEvent[]): string[] {
  return [
    ...events.map(event => `forgotten: ${event.type}, ${aboutDead(event)} (${event.reason})`),
    `${events.length} events forgotten. No post is lost: feeds are built from the database.`
  ]
}
