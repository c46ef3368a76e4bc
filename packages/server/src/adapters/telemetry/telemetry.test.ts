import assert from 'node:assert/strict'
import test from 'node:test'
import { telemetryConformance } from '../../ports/telemetry.conformance.ts'
import type { Labels } from '../../ports/telemetry.ts'
import type { LogLevel } from './log.ts'
import { metricName } from './metrics.ts'
import { createTelemetry } from './telemetry.ts'

function open(level: LogLevel = 'info', pretty = false) {
  const text: string[] = []
  const destination = { write: (line: string) => text.push(line) }
  const opened = createTelemetry({ level, pretty, destination })
  const lines = () => text.map(line => JSON.parse(line) as Record<string, unknown>)
  return { ...opened, text, lines }
}

/** The value of a line of the metrics page. */
function find(body: string, name: string, labels: Labels = {}): number | undefined {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const head = pairs.length > 0 ? `${name}{${pairs.join(',')}}` : name
  const line = body.split('\n').find(line => line.startsWith(`${head} `))
  return line === undefined ? undefined : Number(line.slice(head.length + 1))
}

telemetryConformance('telemetry', () => {
  const { telemetry, metrics, lines } = open()
  const read = async (name: string, labels?: Labels) => find((await metrics()).body, name, labels)
  return {
    telemetry,
    logged: () => lines().map(({ message }) => String(message)),
    total: async (name, labels) => (await read(metricName('count', name), labels)) ?? 0,
    value: (name, labels) => read(metricName('gauge', name), labels),
    observed: async (name, labels) =>
      (await read(`${metricName('observe', name)}_count`, labels)) ?? 0
  }
})

test('metrics are named as Prometheus wants them', () => {
  assert.equal(metricName('count', 'posts'), 'fanwise_posts_total')
  assert.equal(metricName('count', 'posts_total'), 'fanwise_posts_total')
  assert.equal(metricName('gauge', 'feeds_bytes'), 'fanwise_feeds_bytes')
  assert.equal(metricName('observe', 'page_ms'), 'fanwise_page_seconds')
  assert.equal(metricName('observe', 'http_request'), 'fanwise_http_request_seconds')
})

test('durations come in ms and go out in seconds, in buckets', async () => {
  const { telemetry, metrics } = open()
  for (const ms of [3, 30, 300]) telemetry.observe('page_ms', ms)
  const { body, contentType } = await metrics()
  assert.match(contentType, /^text\/plain/)
  assert.equal(find(body, 'fanwise_page_seconds_sum')?.toFixed(3), '0.333')
  assert.equal(find(body, 'fanwise_page_seconds_bucket', { le: '0.005' }), 1)
  assert.equal(find(body, 'fanwise_page_seconds_bucket', { le: '0.05' }), 2)
  assert.equal(find(body, 'fanwise_page_seconds_bucket', { le: '+Inf' }), 3)
})

test('the metrics of the process are there, and two servers in it do not mix', async () => {
  const [one, two] = [open(), open()]
  one.telemetry.count('posts')
  assert.match((await one.metrics()).body, /process_cpu_seconds_total/)
  assert.equal(find((await two.metrics()).body, 'fanwise_posts_total'), undefined)
})

test('a metric that does not fit is complained about once', () => {
  const { telemetry, lines } = open()
  for (let i = 0; i < 3; i++) telemetry.count('not a name!')
  assert.deepEqual(
    lines().map(({ metric }) => metric),
    ['not a name!']
  )
})

test('a line has level, time, message and fields', () => {
  const { telemetry, lines } = open()
  telemetry.log('warn', 'hello', { lane: 3, error: new RangeError('too far') })
  const [line] = lines()
  assert.equal(line?.level, 'warn')
  assert.ok(Math.abs(Date.parse(String(line?.time)) - Date.now()) < 60_000)
  assert.equal(line?.lane, 3)
  const error = line?.error as Record<string, unknown>
  assert.deepEqual([error.name, error.message], ['RangeError', 'too far'])
  assert.match(String(error.stack), /telemetry\.test/)
})

test('what is below the level is not logged', () => {
  for (const [level, count] of [
    ['debug', 4],
    ['warn', 2],
    ['silent', 0]
  ] as const) {
    const { telemetry, text } = open(level)
    for (const at of ['debug', 'info', 'warn', 'error'] as const) telemetry.log(at, 'x')
    assert.equal(text.length, count, level)
  }
})

const SECRETS: Record<string, unknown>[] = [
  { authorization: 'Bearer S3CRET' },
  { headers: { Authorization: 'S3CRET', 'Set-Cookie': ['S3CRET'] } },
  { request: { deep: [{ userToken: 'S3CRET', jwtSecret: 'S3CRET', password: 'S3CRET' }] } },
  { serverKey: 'S3CRET', server_key: 'S3CRET' },
  { error: new Error('cannot connect to postgres://app:S3CRET@db:5432/feed') },
  { error: new Error('above', { cause: new Error('Authorization: Bearer S3CRET.x-y_z') }) },
  { error: Object.assign(new Error('x'), { token: 'S3CRET' }) },
  { note: 'token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJTM0NSRVQifQ.S3CRET was refused' }
]

test('secrets are never logged, wherever they stand', () => {
  for (const fields of SECRETS) {
    const { telemetry, text } = open()
    telemetry.log('error', 'refused', fields)
    assert.match(text[0]!, /\[hidden\]/)
    assert.doesNotMatch(text[0]!, /S3CRET/)
  }
  const { telemetry, text } = open()
  telemetry.log('error', 'Bearer S3CRET was refused')
  assert.doesNotMatch(text[0]!, /S3CRET/)
})

test('what only looks like a secret is kept', () => {
  const { telemetry, lines } = open()
  telemetry.log('info', 'see http://localhost:3000/docs', {
    url: 'http://localhost:3000/a@b',
    key: 'k'
  })
  const [line] = lines()
  assert.equal(line?.message, 'see http://localhost:3000/docs')
  assert.deepEqual([line?.url, line?.key], ['http://localhost:3000/a@b', 'k'])
})

test('a pretty line is for people', () => {
  const { telemetry, text } = open('info', true)
  telemetry.log('warn', 'a lane is late', { lane: 3, why: 'slow', error: new Error('broken') })
  const [line = '', ...stack] = text[0]!.split('\n')
  assert.match(
    line,
    /^\d\d:\d\d:\d\d\.\d{3} WARN {2}a lane is late {2}lane=3 {2}why=slow {2}error=broken$/
  )
  assert.equal(stack[0], 'Error: broken')
  telemetry.log('info', 'nothing more')
  assert.match(text[1]!, /INFO {2}nothing more\n$/)
})
