import assert from 'node:assert/strict'
import test from 'node:test'
import { openWorld, type PageWorld } from '../../../../testkit/page-world.ts'
import { LOW_CAP, readerWithPast, verifyContext } from '../../../../testkit/verify-world.ts'
import { END, type PostId } from '../domain/post-id.ts'
import { verifyReader } from './verify.ts'
import type { Pages } from './walk.ts'

async function newestOf(world: PageWorld, author: number): Promise<PostId> {
  const [id] = await world.store.idsByAuthor(author, END, '0', 1)
  return id as PostId
}

async function held(world: PageWorld, reader: number): Promise<readonly PostId[]> {
  return (await world.feeds.take(`feed:${reader}`, END, 1000)).ids
}

test('a warm feed alone is compared across its seam, and nothing is dropped', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v } = await readerWithPast(world)
  let dropped = 0
  const drop = async () => void dropped++
  const feeds = { ...world.feeds, take: world.feeds.take.bind(world.feeds), drop }
  const report = await verifyReader(verifyContext(world, { feeds }), v, { only: 'warm' })
  assert.deepEqual([report.cold, report.differences, dropped], [0, 0, 0])
  const { warm, store, seam } = report.pages
  assert.deepEqual([warm, store, seam], [0, 0, 1], 'a page of 100 over a cap of 50')
  assert.equal(report.counts.checked, 23)
})

test('a cold feed is not walked when only warm ones are asked for', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v } = await readerWithPast(world)
  await world.feeds.drop([`feed:${v}`])
  const report = await verifyReader(verifyContext(world), v, { only: 'warm' })
  assert.deepEqual([report.cold, report.pages], [1, { warm: 0, store: 0, seam: 0 }])
  assert.equal((await world.feeds.take(`feed:${v}`, END, 1)).state, 'cold')
})

test('a warm feed that is longer than a page is compared as a whole', async t => {
  const world = await openWorld(t, 'memory', { cap: 250, slack: 0 })
  const [v] = (await world.users('v')) as [number]
  const ids: PostId[] = []
  for (let n = 0; n < 280; n++) ids.push(await world.pastPost(v))
  await world.build(`feed:${v}`)
  const right = await verifyReader(verifyContext(world), v, { only: 'warm' })
  assert.deepEqual([right.differences, right.pages], [0, { warm: 2, store: 0, seam: 1 }])
  const oldest = (await held(world, v)).at(-1) as PostId
  await world.feeds.remove(`feed:${v}`, [oldest])
  const wrong = await verifyReader(verifyContext(world), v, { only: 'warm' })
  assert.deepEqual(wrong.examples, [{ reader: 'v', walk: 'warm', kind: 'missing', post: oldest }])
  assert.equal(wrong.stillWrong, 1)
  assert.ok(!(await held(world, v)).includes(oldest), 'as it stands it stays')
})

test('what comes during a light walk is no difference, and what is on its way neither', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v, a } = await readerWithPast(world)
  const context = verifyContext(world)
  let late = await world.publish(a)
  const pager: Pages = {
    async home(reader, query) {
      const page = await context.pager.home(reader, query)
      await world.post(a)
      return page
    }
  }
  let settles = 0
  const settle = async () => {
    settles++
    await world.deliver(a, late)
    late = await world.publish(a)
    return 0
  }
  const report = await verifyReader(verifyContext(world, { pager, settle }), v, { only: 'warm' })
  assert.deepEqual([report.differences, settles], [0, 1])
})

for (const only of [undefined, 'warm'] as const) {
  const how = { repair: true, ...(only && { only }) }
  test(`a wrong feed is made anew and is right then: ${only ?? 'all walks'}`, async t => {
    const world = await openWorld(t, 'memory', LOW_CAP)
    const { v, a } = await readerWithPast(world)
    const id = await newestOf(world, a)
    await world.feeds.remove(`feed:${v}`, [id])
    const report = await verifyReader(verifyContext(world), v, how)
    assert.deepEqual([report.missing, report.repaired, report.stillWrong], [1, 1, 0])
    assert.equal(report.examples[0]?.post, id)
    assert.ok((await held(world, v)).includes(id))
    const again = await verifyReader(verifyContext(world), v, how)
    assert.deepEqual([again.differences, again.repaired, again.stillWrong], [0, 0, 0])
  })
}

test('a wrong timeline that is merged in is made anew as well', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v, s } = await readerWithPast(world)
  const id = await newestOf(world, s)
  await world.feeds.remove(`timeline:${s}`, [id])
  const report = await verifyReader(verifyContext(world), v, { only: 'warm', repair: true })
  assert.deepEqual([report.missing, report.repaired, report.stillWrong], [1, 1, 0])
  assert.ok((await world.feeds.take(`timeline:${s}`, END, 10)).ids.includes(id))
})

test('what no repair mends is told apart', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v, a } = await readerWithPast(world)
  const lost = await newestOf(world, a)
  const context = verifyContext(world)
  const pager: Pages = {
    async home(reader, query) {
      const page = await context.pager.home(reader, query)
      return { ...page, ids: page.ids.filter(id => id !== lost) }
    }
  }
  const report = await verifyReader({ ...context, pager }, v, { only: 'warm', repair: true })
  assert.deepEqual([report.missing, report.repaired, report.stillWrong], [1, 0, 1])
})
