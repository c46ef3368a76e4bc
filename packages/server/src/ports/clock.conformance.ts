import assert from 'node:assert/strict'
import test from 'node:test'
import type { Clock } from './clock.ts'

export interface ClockUnderTest {
  readonly clock: Clock
  /** Lets so many ms go by. */
  pass(ms: number): Promise<void>
}

/** What every Clock does. */
export function clockConformance(name: string, make: () => ClockUnderTest): void {
  test(`${name}: time goes by, in ms`, async () => {
    const { clock, pass } = make()
    const [now, monotonic] = [clock.now(), clock.monotonic()]
    await pass(20)
    assert.ok(clock.now() - now >= 18)
    assert.ok(clock.monotonic() - monotonic >= 18)
    assert.ok(Number.isInteger(clock.now()), 'Unix time comes in whole ms')
  })

  test(`${name}: a sleep lasts as long as it should`, async () => {
    const { clock, pass } = make()
    const start = clock.monotonic()
    const sleep = clock.sleep(20).then(() => clock.monotonic() - start)
    await pass(30)
    assert.ok((await sleep) >= 18)
  })

  test(`${name}: sleeps end in the order of their ends`, async () => {
    const { clock, pass } = make()
    const ended: string[] = []
    const sleeps = [
      clock.sleep(30).then(() => ended.push('second')),
      clock.sleep(10).then(() => ended.push('first'))
    ]
    await pass(60)
    await Promise.all(sleeps)
    assert.deepEqual(ended, ['first', 'second'])
  })

  test(`${name}: an abort ends a sleep at once, and the next is not affected`, async () => {
    const { clock } = make()
    const stop = new AbortController()
    const sleep = clock.sleep(3_600_000, stop.signal)
    stop.abort()
    await sleep
    await clock.sleep(3_600_000, AbortSignal.abort())
  })

  test(`${name}: chance is at least 0 and below 1, and varies`, () => {
    const { clock } = make()
    const drawn = Array.from({ length: 1000 }, () => clock.random())
    assert.ok(drawn.every(x => x >= 0 && x < 1))
    assert.ok(new Set(drawn).size > 900)
    const mean = drawn.reduce((sum, x) => sum + x, 0) / drawn.length
    assert.ok(mean > 0.4 && mean < 0.6, `the mean of 1000 is ${mean}`)
  })
}
