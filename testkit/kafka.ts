// Event logs on a running Kafka, each with topics and a group of its own.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import {
  Admin,
  ConfigResourceTypes,
  IncrementalAlterConfigOperationTypes
} from '@platformatic/kafka'
import { createKafkaEventLog } from '../packages/server/src/adapters/kafka/event-log.ts'
import type {
  KafkaEventLogOptions,
  LogLoss
} from '../packages/server/src/adapters/kafka/options.ts'
import { createSystemClock } from '../packages/server/src/adapters/system/clock.ts'
import type { LoggedEvent } from '../packages/server/src/domain/event.ts'
import type { EventHandler, EventLog, Takeover } from '../packages/server/src/ports/event-log.ts'
import { CountingTelemetry } from './write-world.ts'

export interface TestLog {
  readonly log: EventLog
  readonly telemetry: CountingTelemetry
  readonly losses: LogLoss[]
}

/** Names of topics and group that no other test uses. */
export function freshPrefix(): string {
  return `test-${randomUUID().slice(0, 13)}`
}

/** A log that ends with the test. */
export async function openLog(
  t: TestContext,
  url: string,
  options: Partial<KafkaEventLogOptions> = {}
): Promise<TestLog> {
  const telemetry = new CountingTelemetry()
  const losses: LogLoss[] = []
  const log = await createKafkaEventLog({
    brokers: url.split(','),
    clock: createSystemClock(),
    telemetry,
    prefix: freshPrefix(),
    partitions: 4,
    onLost: loss => losses.push(loss),
    ...options
  })
  t.after(() => log[Symbol.asyncDispose]())
  return { log, telemetry, losses }
}

export function userEvents(author: number, ...ids: readonly number[]): LoggedEvent[] {
  return ids.map(id => ({ id: String(id), lane: 1, event: { type: 'user', author } }))
}

/** Handlers that note what they are asked to do; `work` may be replaced. */
export class Worker {
  readonly opened: number[] = []
  readonly closed: number[] = []
  readonly done: { readonly partition: number; readonly event: LoggedEvent }[] = []
  readonly takeovers: Takeover[] = []
  work: (partition: number, events: readonly LoggedEvent[]) => Promise<void> = async () => {}

  readonly open = (partition: number): EventHandler => {
    this.opened.push(partition)
    let closed = false
    return {
      recover: async past => {
        this.takeovers.push(past)
      },
      handle: async events => {
        await this.work(partition, events)
        assert.ok(!closed, 'a closed handler works on nothing')
        this.done.push(...events.map(event => ({ partition, event })))
      },
      close: async () => {
        closed = true
        this.closed.push(partition)
      }
    }
  }

  /** Ids, in the order of their work; of one author, or of all. */
  ids(author?: number): string[] {
    return this.done
      .filter(({ event }) => author === undefined || Reflect.get(event.event, 'author') === author)
      .map(({ event }) => event.id)
  }

  /** Partitions that have a handler. */
  get holds(): number[] {
    const left = [...this.opened]
    for (const partition of this.closed) left.splice(left.indexOf(partition), 1)
    return left.toSorted((a, b) => a - b)
  }
}

/** Asks until it is so. */
export async function until(
  what: string,
  ask: () => boolean | Promise<boolean>,
  ms = 20_000
): Promise<void> {
  const end = performance.now() + ms
  while (!(await ask())) {
    assert.ok(performance.now() < end, `${what} within ${ms} ms`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** Does something as an operator would. */
export async function withAdmin<T>(url: string, work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Admin({ clientId: 'test', bootstrapBrokers: url.split(',') })
  try {
    return await work(admin)
  } finally {
    await admin.close()
  }
}

export const SESSION_MS = 1500

/** Makes a group notice soon that a member is gone. */
export async function shortSession(url: string, group: string): Promise<void> {
  const set = (name: string, ms: number) => ({
    name: `consumer.${name}.ms`,
    configOperation: IncrementalAlterConfigOperationTypes.SET,
    value: `${ms}`
  })
  const configs = [set('session.timeout', SESSION_MS), set('heartbeat.interval', 300)]
  const resource = { resourceType: ConfigResourceTypes.GROUP, resourceName: group, configs }
  await withAdmin(url, admin => admin.incrementalAlterConfigs({ resources: [resource] }))
}
