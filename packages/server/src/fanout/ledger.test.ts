import assert from 'node:assert/strict'
import test from 'node:test'
import {
  CountingTelemetry,
  openWriteWorld,
  type WriteWorld
} from '../../../../testkit/write-world.ts'
import { createVirtualClock } from '../adapters/memory/virtual-clock.ts'
import { Problem } from '../domain/errors.ts'
import { laneOfAuthor, makePostId } from '../domain/post-id.ts'
import type { LedgerRow } from '../ports/ledger.ts'
import { createRecords } from './batch-record.ts'
import { createLedger, drainLedger } from './ledger.ts'

/** The rows that are recorded while the test runs. */
function listen(world: WriteWorld): LedgerRow[][] {
  const recorded: LedgerRow[][] = []
  world.faults.store.record = async rows => {
    recorded.push([...rows])
    return world.plain.store.record(rows)
  }
  return recorded
}

async function fans(world: WriteWorld, author: number, ...readers: number[]): Promise<void> {
  for (const reader of readers) await world.change('follow', reader, author)
  await world.settle()
  for (const reader of readers) {
    await world.plain.feeds.begin(`feed:${reader}`, 'x')
    await world.plain.feeds.finish(`feed:${reader}`, 'x', [], true)
  }
}

test('a batch is recorded by one statement: a row for each post and slice', async t => {
  const world = await openWriteWorld(t, { slice: 2 })
  const [ann, ...readers] = (await world.users('ann', 'b', 'c', 'd')) as [number, ...number[]]
  await fans(world, ann, ...readers)
  await world.plain.feeds.drop([`feed:${readers[1] ?? 0}`])
  const recorded = listen(world)
  const post = await world.post(ann)
  const other = await world.post(ann)
  const events = [post, other].map(id => ({ type: 'post', author: ann, post: id }) as const)
  await world.handle(...events, { type: 'user', author: ann })
  assert.equal(recorded.length, 1)
  const rows = recorded.flat()
  assert.deepEqual(
    rows.map(({ post, event, slice, slices }) => [post, event, slice, slices]),
    [
      [post, '1', 1, null],
      [other, '2', 1, null],
      [post, '1', 2, 2],
      [other, '2', 2, 2]
    ]
  )
  const [first, , last] = rows
  assert.deepEqual(
    [first?.first, first?.last, first?.took, first?.pushed, first?.cold],
    [readers[0], readers[1], [readers[0]], 1, 1]
  )
  assert.deepEqual([last?.first, last?.took, last?.cold], [readers[2], [readers[2]], 0])
  assert.deepEqual(
    [first?.worker, first?.lane, first?.partition, first?.offset, first?.delivery, first?.work],
    ['worker', laneOfAuthor(ann), null, null, 'push', 'pushed']
  )
})

test('without followers there is one slice; in pull, and for old posts, there is none', async t => {
  const world = await openWriteWorld(t)
  const [ann, bob] = (await world.users('ann', 'bob')) as [number, number]
  const recorded = listen(world)
  const post = await world.post(ann)
  await world.handle({ type: 'post', author: ann, post })
  assert.deepEqual(
    recorded.flat().map(({ slice, slices, pushed }) => [slice, slices, pushed]),
    [[1, 1, 0]]
  )
  const [state] = await world.store.deliveryOf([bob])
  await world.store.switchDelivery(state!, 'pull')
  const old = makePostId(world.clock.now() - 7_200_000, 1, 1)
  await world.handle(
    { type: 'post', author: bob, post: await world.post(bob) },
    { type: 'post', author: ann, post: old }
  )
  assert.deepEqual(
    recorded.slice(1).map(rows => rows.map(({ work, delivery, slice }) => [work, delivery, slice])),
    [
      [
        ['pulled', 'pull', 0],
        ['backlog', 'push', 0]
      ]
    ]
  )
})

test('an event of a log with partitions is recorded with its place', async t => {
  const world = await openWriteWorld(t)
  const [ann] = (await world.users('ann')) as [number]
  const recorded = listen(world)
  const event = { type: 'post', author: ann, post: await world.post(ann) } as const
  await world.open(5).handle([{ id: '9', lane: 63, offset: '1234567890123', event }])
  const [row] = recorded.flat()
  assert.deepEqual(
    [row?.event, row?.lane, row?.partition, row?.offset],
    ['9', 63, 5, '1234567890123']
  )
})

test('the first failure is recorded, the tries of an outage are not, and then the success', async t => {
  const world = await openWriteWorld(t)
  const [ann, bob] = (await world.users('ann', 'bob')) as [number, number]
  await fans(world, ann, bob)
  const recorded = listen(world)
  const post = await world.post(ann)
  const lane = laneOfAuthor(ann)
  const handler = world.open(lane)
  const events = [{ id: '1', lane, event: { type: 'post', author: ann, post } as const }]
  world.faults.feeds.push = async pushes => {
    if (pushes.some(({ list }) => list === `feed:${bob}`)) throw new Problem('unavailable')
    return world.plain.feeds.push(pushes)
  }
  for (let attempt = 0; attempt < 3; attempt++) await assert.rejects(handler.handle(events))
  delete world.faults.feeds.push
  await handler.handle(events)
  assert.deepEqual(
    recorded.flat().map(({ work, pushed, failed }) => [work, pushed, failed]),
    [
      ['failed', 0, 1],
      ['pushed', 1, 0]
    ]
  )
})

test('slices of a large author are handed on early, but not again by each try of an outage', () => {
  const post = makePostId(1_800_000_000_000, 1, 1)
  const event = { type: 'post', author: 1, post } as const
  const written: number[] = []
  const ledger = { write: (rows: readonly LedgerRow[]) => void written.push(rows.length) }
  const begin = createRecords({ ledger, clock: { now: () => 0 }, worker: 'w' }, 0)
  const followers = Array.from({ length: 1000 }, (_, n) => n + 1)
  const work = (slices: number) => {
    const record = begin([{ id: '1', lane: 0, event }])
    const slice = record.slices([post], 'push')
    const pushed = followers.map(() => 'pushed' as const)
    for (let n = 0; n < slices; n++) slice.done(followers, pushed)
    return { record, slice }
  }
  const { record, slice } = work(30)
  assert.equal(written.length, 1)
  slice.failed(followers)
  record.fail()
  for (let attempt = 0; attempt < 2; attempt++) {
    const again = work(30)
    again.slice.failed(followers)
    again.record.fail()
  }
  const rows = () => written.reduce((sum, count) => sum + count, 0)
  assert.equal(rows(), 31)
  const last = work(40)
  last.slice.end()
  last.record.close()
  assert.equal(rows(), 31 + 40)
})

test('a ledger that fails is counted and never in the way', async t => {
  const world = await openWriteWorld(t)
  const [ann, bob] = (await world.users('ann', 'bob')) as [number, number]
  await fans(world, ann, bob)
  world.faults.store.record = () => Promise.reject(new Problem('unavailable'))
  const post = await world.post(ann)
  await world.settle()
  assert.deepEqual(await world.warm(`feed:${bob}`), [post])
  assert.equal(world.telemetry.counts.get('ledger_rows_lost'), 1)
  world.faults.store.record = () => new Promise(() => {})
  const next = await world.post(ann)
  await world.settle()
  assert.deepEqual(await world.warm(`feed:${bob}`), [next, post])
})

test('what comes while a statement runs goes with the next, and too much is lost', async () => {
  const telemetry = new CountingTelemetry()
  const statements: number[] = []
  let release = () => {}
  const store = {
    record(rows: readonly LedgerRow[]) {
      statements.push(rows.length)
      return new Promise<void>(resolve => {
        release = resolve
      })
    }
  }
  const row = { took: [] as number[] } as unknown as LedgerRow
  const huge = { took: Array.from({ length: 400_000 }, (_, n) => n) } as unknown as LedgerRow
  const ledger = createLedger({ store, telemetry })
  const turn = () => new Promise(resolve => setImmediate(resolve))
  ledger.write([row])
  ledger.write([row, row])
  await turn()
  ledger.write([row])
  ledger.write([huge])
  ledger.write([huge])
  ledger.write([row])
  assert.deepEqual(statements, [3])
  release()
  await turn()
  assert.deepEqual(statements, [3, 3])
  release()
  await ledger.idle()
  assert.equal(telemetry.counts.get('ledger_rows_lost'), 1)
})

test('a process that stops waits for its last rows, but not for a Store that never answers', async () => {
  const clock = createVirtualClock()
  const { promise, resolve } = Promise.withResolvers<void>()
  const drained = drainLedger({ idle: () => promise }, clock)
  resolve()
  await drained
  assert.equal(clock.monotonic(), 0)
  await clock.runUntil(drainLedger({ idle: () => new Promise(() => {}) }, clock))
  assert.equal(clock.monotonic(), 3000)
})
