import assert from 'node:assert/strict'
import test from 'node:test'
import { closedLoop } from './closed-loop.ts'
import type { Machine } from './machine.ts'
import { openLoop } from './open-loop.ts'
import { fillIn, report } from './report.ts'
import { makeResult, type Result } from './results.ts'
import { median, quantile } from './statistics.ts'
import { takeTurns } from './take-turns.ts'

const quiet = () => {}

test('median and quantiles', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 2, 3]), 2.5)
  assert.equal(quantile([10, 20, 30, 40, 50], 0.99), 49.6)
  assert.ok(Number.isNaN(median([])))
})

test('variants take turns, forwards and backwards, and warm-ups do not count', async () => {
  const order: string[] = []
  const variant = (name: string) => async (round: number) => {
    order.push(`${name}${round}`)
    return { round }
  }
  const options = { rounds: 2, warmUps: 1, say: quiet }
  const results = await takeTurns({ a: variant('a'), b: variant('b') }, options)
  assert.deepEqual(order, ['b-1', 'a-1', 'a0', 'b0', 'b1', 'a1'])
  assert.deepEqual(results, { a: [{ round: 0 }, { round: 1 }], b: [{ round: 0 }, { round: 1 }] })
})

test('an open loop counts the wait of those that a stall made late', async () => {
  const stall = (index: number) => {
    const end = performance.now() + (index === 0 ? 60 : 0)
    while (performance.now() < end);
  }
  const loop = await openLoop({ perS: 1000, ms: 100, act: async index => stall(index) })
  assert.deepEqual([loop.begun, loop.failed, loop.latencies.length], [100, 0, 100])
  assert.ok(loop.latestMs >= 50, `${loop.latestMs}`)
  assert.ok(loop.latencies.filter(ms => ms > 20).length >= 30, 'only the first one waited')
})

test('an open loop counts failures apart, and can be ended before its time', async () => {
  const act = (index: number) => (index % 2 ? Promise.reject(new Error('no')) : Promise.resolve())
  const loop = await openLoop({ perS: 10_000, ms: 10, act })
  assert.deepEqual([loop.failed, loop.latencies.length], [50, 50])
  assert.equal((await openLoop({ perS: 10, ms: 60_000, act, until: () => true })).begun, 0)
})

test('a closed loop does all, and never more than its width at once', async () => {
  let [now, most, done] = [0, 0, 0]
  const perS = await closedLoop(3, 10, async () => {
    most = Math.max(most, ++now)
    await Promise.resolve()
    now--
    done++
  })
  assert.deepEqual([most, done], [3, 10])
  assert.ok(perS > 0)
})

const machine: Machine = {
  ...{ cpu: 'A CPU', cores: 2, memoryGiB: 24, node: 'v24.0.0', commit: 'abc', othersPercent: 40 }
}
const bench = { name: 'one', about: 'What it is.', prepare: () => Promise.reject(new Error()) }
const measured = { a: [{ 'x/s': 10 }, { 'x/s': 30 }], b: [{ 'x/s': 20 }, { 'x/s': 20 }] }

function resultOf(by: string): Result {
  const ratios = [{ name: 'a of b', of: ['a', 'x/s'], by: ['b', by] }] as const
  const prepared = { setting: 'How.', variants: {}, ratios }
  return makeResult(bench, prepared, measured, { machine, quick: false })
}

test('ratios are of the same round, and of what was measured', () => {
  assert.deepEqual(resultOf('x/s').rows.at(-1), {
    ...{ variant: '', measured: 'a of b', values: [0.5, 1.5] }
  })
  assert.throws(() => resultOf('y/s'), /not measured/)
})

test('a report has medians, spread, the command, and who else was on the machine', () => {
  const text = report(resultOf('x/s'))
  assert.match(text, /\| a +\| x\/s +\| 20 +\| 10 - 30 +\|/)
  assert.match(text, /`npm run bench -- one` .* at abc, 2 rounds\./)
  assert.match(text, /other work took 40 % of the machine/)
})

test('results and their places have to fit', () => {
  const results = [resultOf('x/s')]
  const page = 'Before.\n<!-- bench one -->\nold\n<!-- /bench -->\nBehind.'
  const filled = fillIn(page, results)
  assert.match(
    filled,
    /^Before\.\n<!-- bench one -->\n\nWhat it is\. How\.[\s\S]*\n<!-- \/bench -->\nBehind\.$/
  )
  assert.equal(fillIn(filled, results), filled)
  assert.throws(() => fillIn(page, []), /no results of one/)
  assert.throws(() => fillIn('', results), /no place for the results of one/)
})
