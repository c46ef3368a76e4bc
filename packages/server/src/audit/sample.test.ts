import assert from 'node:assert/strict'
import test from 'node:test'
import { openWorld, type PageWorld } from '../../../../testkit/page-world.ts'
import { LOW_CAP, readerWithPast, verifyContext } from '../../../../testkit/verify-world.ts'
import { CountingTelemetry } from '../../../../testkit/write-world.ts'
import { DAY_MS } from '../domain/limits.ts'
import { END, type PostId } from '../domain/post-id.ts'
import type { Fields, Level } from '../ports/telemetry.ts'
import { type SampleContext, sampleOnce } from './sample.ts'
import type { VerifyContext } from './verify-context.ts'

function sampling(world: PageWorld, changes: Partial<VerifyContext> = {}) {
  const counting = new CountingTelemetry()
  const lines: Fields[] = []
  const telemetry = {
    ...{ lines, counts: counting.counts },
    log: (_level: Level, _message: string, fields: Fields = {}) => void lines.push(fields),
    count: counting.count.bind(counting),
    gauge() {},
    observe() {}
  }
  const forbidden = () => Promise.reject(new Error('the sample builds nothing'))
  const { store } = world
  const context: SampleContext = {
    ...verifyContext(world, { build: forbidden, ...changes }),
    ...{ store, telemetry }
  }
  return { telemetry, context }
}

async function stateOf(world: PageWorld, reader: number): Promise<string> {
  return (await world.feeds.take(`feed:${reader}`, END, 1)).state
}

async function damaged(world: PageWorld, reader: number): Promise<PostId> {
  const [, id] = (await world.feeds.take(`feed:${reader}`, END, 2)).ids
  await world.feeds.remove(`feed:${reader}`, [id as PostId])
  return id as PostId
}

test('a feed that is right is counted and left warm', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v } = await readerWithPast(world)
  await world.store.touchReaders([v])
  const { telemetry, context } = sampling(world)
  assert.equal(await sampleOnce(context), 0)
  assert.equal(await stateOf(world, v), 'warm')
  assert.deepEqual([...telemetry.counts], [['drift_checked_total', 1]])
})

test('a feed that is wrong is dropped, counted and told with its reader', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v } = await readerWithPast(world)
  await world.store.touchReaders([v])
  const post = await damaged(world, v)
  const { telemetry, context } = sampling(world)
  await sampleOnce(context)
  assert.equal(await stateOf(world, v), 'cold')
  assert.equal(telemetry.counts.get('drift_found_total'), 1)
  const [line] = telemetry.lines
  assert.deepEqual(line, { reader: 'v', differences: 1, examples: [{ kind: 'missing', post }] })
  await sampleOnce(context)
  assert.equal(telemetry.counts.get('drift_checked_total'), 1, 'cold feeds are left alone')
})

test('several at once find the same and do no harm', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v } = await readerWithPast(world)
  await world.store.touchReaders([v])
  await damaged(world, v)
  await Promise.all(Array.from({ length: 4 }, () => sampleOnce(sampling(world).context)))
  assert.equal(await stateOf(world, v), 'cold')
  await world.build(`feed:${v}`)
  const { telemetry, context } = sampling(world)
  await Promise.all(Array.from({ length: 4 }, () => sampleOnce(context)))
  assert.deepEqual([...telemetry.counts], [['drift_checked_total', 4]])
  assert.equal(await stateOf(world, v), 'warm')
})

test('nothing is judged while events are not worked off', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v, a } = await readerWithPast(world)
  await world.store.touchReaders([v])
  const id = await world.publish(a)
  const { telemetry, context } = sampling(world, { settle: async () => 1 })
  await sampleOnce(context)
  assert.deepEqual([await stateOf(world, v), telemetry.counts.size], ['warm', 0])
  const settle = async () => {
    await world.deliver(a, id)
    return 0
  }
  const drained = sampling(world, { settle })
  await sampleOnce(drained.context)
  assert.deepEqual([...drained.telemetry.counts], [['drift_checked_total', 1]])
})

test('readers who were not here lately are not looked at', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v } = await readerWithPast(world)
  await world.store.touchReaders([v])
  await damaged(world, v)
  await world.wait(DAY_MS)
  const { telemetry, context } = sampling(world)
  await sampleOnce(context)
  assert.equal(telemetry.counts.size, 0)
})
