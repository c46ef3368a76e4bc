import assert from 'node:assert/strict'
import test from 'node:test'
import type { Labels, Telemetry } from './telemetry.ts'

export interface TelemetryUnderTest {
  readonly telemetry: Telemetry
  /** Messages logged at or above the level that was asked for: info. */
  logged(): readonly string[]
  total(name: string, labels?: Labels): Promise<number>
  value(name: string, labels?: Labels): Promise<number | undefined>
  observed(name: string, labels?: Labels): Promise<number>
}

/** What every Telemetry does. */
export function telemetryConformance(name: string, make: () => TelemetryUnderTest): void {
  test(`${name}: counts add up, by labels`, async () => {
    const { telemetry, total } = make()
    telemetry.count('pushes')
    telemetry.count('pushes', 4)
    telemetry.count('switches', 1, { to: 'pull' })
    telemetry.count('switches', 2, { to: 'push' })
    telemetry.count('switches', 3, { to: 'pull' })
    assert.equal(await total('pushes'), 5)
    assert.equal(await total('switches', { to: 'pull' }), 4)
    assert.equal(await total('switches', { to: 'push' }), 2)
  })

  test(`${name}: a gauge shows its last value`, async () => {
    const { telemetry, value } = make()
    telemetry.gauge('outbox_pending', 7)
    telemetry.gauge('outbox_pending', 3)
    telemetry.gauge('lanes_held', 2, { role: 'relay' })
    assert.equal(await value('outbox_pending'), 3)
    assert.equal(await value('lanes_held', { role: 'relay' }), 2)
  })

  test(`${name}: durations are observed`, async () => {
    const { telemetry, observed } = make()
    for (const ms of [0, 0.5, 12, 100_000]) telemetry.observe('page_ms', ms)
    telemetry.observe('request_ms', 5, { route: '/feed' })
    assert.equal(await observed('page_ms'), 4)
    assert.equal(await observed('request_ms', { route: '/feed' }), 1)
  })

  test(`${name}: logs by level, with any fields`, () => {
    const { telemetry, logged } = make()
    const circle: Record<string, unknown> = { n: 1n, nothing: undefined, list: [new Set([1])] }
    circle.self = circle
    telemetry.log('info', 'first')
    telemetry.log('warn', 'second', { error: new Error('broken', { cause: 'below' }) })
    telemetry.log('error', 'third', circle)
    assert.deepEqual(logged(), ['first', 'second', 'third'])
  })

  test(`${name}: names and labels that do not fit never throw`, () => {
    const { telemetry } = make()
    telemetry.count('fits', 1, { a: '1' })
    telemetry.count('fits', 1, { b: '1' })
    telemetry.count('fits', -1, { a: '1' })
    telemetry.count('not a name!')
    telemetry.gauge('g', Number.NaN)
    telemetry.observe('page_ms', Number.NaN)
  })
}
