import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import type { LoggedEvent } from '../packages/server/src/domain/event.ts'
import { laneOfAuthor } from '../packages/server/src/domain/post-id.ts'
import { Arrivals } from './arrivals.ts'
import { openBareKafka } from './bare-kafka.ts'
import type { Bench, BenchContext, Measured, Prepared } from './harness/bench.ts'
import { openLoop } from './harness/open-loop.ts'
import { quantile } from './harness/statistics.ts'
import {
  followed,
  idleHandler,
  openPipeline,
  type Pipeline,
  runRelay,
  startOwn
} from './pipeline.ts'

const AUTHORS = 1000
const FIRST_POST = 3_736_512_345_678_901_234n

/** Rows of posts, as publishing writes them. */
const FILL = `
  insert into outbox (aggregateid, type, lane, payload)
  select author::text, 'post', lane_of_author(author),
    jsonb_build_object('type', 'post', 'author', author, 'post', (${FIRST_POST} + n)::text)
  from (select n, 1 + n % ${AUTHORS} as author from generate_series(1, $1::bigint) n) rows`

function eventsLike(count: number, from: number): LoggedEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const author = 1 + (index % AUTHORS)
    const event = { type: 'post', author, post: String(FIRST_POST + BigInt(index)) } as const
    return { id: String(from + index), lane: laneOfAuthor(author), event }
  })
}

function keyOf({ id, event }: LoggedEvent): string {
  return 'post' in event ? event.post : id
}

/** Both ways to carry events, each known to be read from. */
async function openBoth({ parts, say }: BenchContext) {
  const services = await startOwn(parts, 'postgres', 'kafka')
  const kafka = services.kafka.url
  const pipeline = await openPipeline(parts, { postgresUrl: services.postgres.url, kafka })
  const [own, bare] = [new Arrivals(), new Arrivals()]
  const open = followed(idleHandler, events => own.note(events.map(keyOf)))
  await pipeline.ports.log.consume(open)
  await runRelay(parts, pipeline)
  const client = await openBareKafka(parts, kafka, `${pipeline.prefix}.bare`, id => bare.note([id]))
  say('waiting for consumers')
  await throughOutbox(pipeline, own, AUTHORS)
  await Promise.all([client.send(eventsLike(AUTHORS, 1)), bare.until(AUTHORS)])
  return { pipeline, own, bare, client }
}

/** Events/s from the commit of all rows to the last event handled. */
async function throughOutbox(
  { databaseUrl }: Pipeline,
  own: Arrivals,
  count: number
): Promise<Measured> {
  const before = own.count
  await withClient(databaseUrl, client => client.query(FILL, [count]))
  const start = performance.now()
  await withClient(databaseUrl, client => client.query('notify fanwise_outbox'))
  await own.until(before + count)
  return { 'events/s': (count * 1000) / (performance.now() - start) }
}

async function prepareThroughput(context: BenchContext): Promise<Prepared> {
  const count = context.quick ? 5000 : 50_000
  const { pipeline, own, bare, client } = await openBoth(context)
  return {
    setting: `${count.toLocaleString('en-US')} events of ${AUTHORS} authors, 16 partitions, one broker; all in one process.`,
    variants: {
      'outbox, relay, Kafka, consumer': () => throughOutbox(pipeline, own, count),
      'bare producer and consumer': async () => {
        const events = eventsLike(count, 1)
        const before = bare.count
        const start = performance.now()
        await Promise.all([client.send(events), bare.until(before + count)])
        return { 'events/s': (count * 1000) / (performance.now() - start) }
      }
    },
    ratios: [
      {
        name: 'of the bare client',
        of: ['outbox, relay, Kafka, consumer', 'events/s'],
        by: ['bare producer and consumer', 'events/s']
      }
    ]
  }
}

const PER_S = 200

async function prepareLatency(context: BenchContext): Promise<Prepared> {
  const ms = context.quick ? 2000 : 15_000
  const { pipeline, own, bare, client } = await openBoth(context)
  const authors = await pipeline.ports.store.ensureUsers(
    Array.from({ length: AUTHORS }, (_, index) => `author${index}`)
  )
  const quantiles = async (act: (index: number) => Promise<unknown>) => {
    for (const arrivals of [own, bare]) arrivals.forget()
    const { latencies } = await openLoop({ perS: PER_S, ms, act })
    return { 'p50, ms': quantile(latencies, 0.5), 'p99, ms': quantile(latencies, 0.99) }
  }
  let sent = 0
  return {
    setting: `${PER_S} a second for ${ms / 1000} s, open loop, from the time it was due.`,
    variants: {
      'post committed and its event handled': () =>
        quantiles(async index => {
          const author = authors[index % AUTHORS]?.number ?? 0
          const { value } = await pipeline.ports.store.publish({ author, content: 'x', attrs: {} })
          await own.of(value.post.id)
        }),
      'bare producer to consumer': () =>
        quantiles(async () => {
          const [event] = eventsLike(1, 1_000_000 + sent++)
          if (event === undefined) return
          await Promise.all([client.send([event]), bare.of(event.id)])
        })
    },
    ratios: [
      {
        name: 'p50, of the bare client',
        of: ['post committed and its event handled', 'p50, ms'],
        by: ['bare producer to consumer', 'p50, ms']
      }
    ]
  }
}

export const benches: readonly Bench[] = [
  {
    name: 'relay',
    about: 'Events through the outbox, the relay, Kafka and a consumer whose handler does nothing.',
    prepare: prepareThroughput
  },
  {
    name: 'relay-latency',
    about: 'How long a post takes from the request to its handled event.',
    prepare: prepareLatency
  }
]
