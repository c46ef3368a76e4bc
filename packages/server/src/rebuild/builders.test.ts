import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openWorld, SILENT } from '../../../../testkit/page-world.ts'
import { patch } from '../../../../testkit/patch.ts'
import { END } from '../domain/post-id.ts'
import { GateFullError } from '../lib/gate.ts'
import type { Feeds, ListKey } from '../ports/feeds.ts'
import { type Builders, createBuilders } from './builders.ts'

/** Builders whose reads of the Store wait until they are let go. */
async function setUp(t: TestContext, options: { concurrency: number; queueMax?: number }) {
  const world = await openWorld(t)
  const reads: { reader: number; go: (ids?: readonly string[]) => void; fail: () => void }[] = []
  const failures: unknown[] = []
  const builders = createBuilders({
    ...options,
    ...world,
    feeds: world.feeds,
    clock: world.clock,
    limits: world.limits,
    store: patch(world.store, {
      homeIds(reader) {
        const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>()
        const go = (ids: readonly string[] = []) => resolve(ids)
        reads.push({ reader, go, fail: () => reject(new Error('down')) })
        return promise
      }
    }),
    telemetry: { ...SILENT, log: (...args) => failures.push(args) }
  })
  return { world, feeds: world.feeds, builders, reads, failures }
}

/** Lets everything go on that waits for nothing. */
const rest = () => new Promise(resolve => setImmediate(resolve))

const stateOf = async (feeds: Feeds, list: ListKey) => (await feeds.take(list, END, 1)).state

async function letAllGo(builders: Builders, reads: { go: () => void }[]): Promise<void> {
  const idle = builders.idle().then(() => true)
  while (!(await Promise.race([idle, rest()]))) for (const read of reads) read.go()
}

test('requests of one list share a build', async t => {
  const { feeds, builders, reads } = await setUp(t, { concurrency: 4 })
  for (let i = 0; i < 5; i++) builders.request('feed:1')
  await rest()
  assert.equal(reads.length, 1)
  await letAllGo(builders, reads)
  assert.equal(reads.length, 1)
  assert.equal(await stateOf(feeds, 'feed:1'), 'warm')
})

test('timelines are built too', async t => {
  const { feeds, builders } = await setUp(t, { concurrency: 1 })
  assert.equal(await builders.build('timeline:1'), 'built')
  assert.equal(await stateOf(feeds, 'timeline:1'), 'warm')
})

test('no more than so many at once, and all in the end', async t => {
  const { feeds, builders, reads } = await setUp(t, { concurrency: 2 })
  for (let i = 1; i <= 6; i++) builders.request(`feed:${i}`)
  await rest()
  assert.deepEqual(
    reads.map(({ reader }) => reader),
    [1, 2]
  )
  reads[0]!.go()
  await rest()
  assert.equal(reads.length, 3)
  await letAllGo(builders, reads)
  for (let i = 1; i <= 6; i++) assert.equal(await stateOf(feeds, `feed:${i}`), 'warm')
})

test('a failed request is told to telemetry and holds nobody up', async t => {
  const { feeds, builders, reads, failures } = await setUp(t, { concurrency: 1 })
  builders.request('feed:1')
  builders.request('feed:2')
  await rest()
  reads[0]!.fail()
  await letAllGo(builders, reads)
  assert.equal(failures.length, 1)
  assert.equal(await stateOf(feeds, 'feed:2'), 'warm')
})

test('who awaits a build hears of its failure', async t => {
  const { builders, reads } = await setUp(t, { concurrency: 1 })
  const build = builders.build('feed:1')
  await rest()
  reads[0]!.fail()
  await assert.rejects(build, /down/)
})

test('a build that is awaited reads after it was asked for', async t => {
  const { feeds, builders, reads } = await setUp(t, { concurrency: 2 })
  builders.request('feed:1')
  await rest()
  await feeds.drop(['feed:1'])
  const build = builders.build('feed:1')
  reads[0]!.go()
  await rest()
  assert.equal(reads.length, 2, 'the build at work had read before')
  reads[1]!.go()
  assert.equal(await build, 'built')
})

test('a full queue forgets requests, and tells who awaits', async t => {
  const { feeds, builders, reads } = await setUp(t, { concurrency: 1, queueMax: 1 })
  for (let i = 1; i <= 3; i++) builders.request(`feed:${i}`)
  await assert.rejects(builders.build('feed:4'), GateFullError)
  await letAllGo(builders, reads)
  assert.equal(await stateOf(feeds, 'feed:2'), 'warm')
  assert.equal(await stateOf(feeds, 'feed:3'), 'cold')
  builders.request('feed:3')
  await letAllGo(builders, reads)
  assert.equal(await stateOf(feeds, 'feed:3'), 'warm')
})

test('idle at once when there is nothing to do', async t => {
  const { builders } = await setUp(t, { concurrency: 1 })
  await builders.idle()
})

test('disposal waits for what is at work and begins nothing more', async t => {
  const { builders, reads } = await setUp(t, { concurrency: 1 })
  builders.request('feed:1')
  const queued = builders.build('feed:2')
  await rest()
  const disposal = builders[Symbol.asyncDispose]()
  reads[0]!.go()
  await disposal
  assert.equal(await queued, 'lost')
  assert.equal(await builders.build('feed:3'), 'lost')
  assert.equal(reads.length, 1)
})
