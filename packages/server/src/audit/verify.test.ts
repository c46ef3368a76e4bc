import assert from 'node:assert/strict'
import test from 'node:test'
import { mergeReports, NOTHING_VERIFIED } from '@fanwise/sdk'
import { openWorld } from '../../../../testkit/page-world.ts'
import { LOW_CAP, readerWithPast, verifyContext } from '../../../../testkit/verify-world.ts'
import { verifyReader } from './verify.ts'
import type { Pages } from './walk.ts'

test('a feed as it should be has no differences, and most pages are warm', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v } = await readerWithPast(world)
  const report = await verifyReader(verifyContext(world), v)
  const { pages, counts, ...rest } = report
  const none = { pending: 0, differences: 0, missing: 0, extra: 0, misordered: 0, examples: [] }
  assert.deepEqual(rest, { readers: 1, cold: 0, repaired: 0, stillWrong: 0, ...none })
  assert.deepEqual(counts, { checked: 23, wrong: 0, repaired: 0, examples: [] })
  assert.ok(pages.warm > pages.store + pages.seam, JSON.stringify(pages))
  assert.equal(pages.seam, 2, 'the walks as it stands and rebuilt cross the seam')
})

test('a reader on PostgreSQL has no differences', async t => {
  const world = await openWorld(t, 'postgres', LOW_CAP)
  const [v, ...authors] = (await world.users('v', 'a', 'b', 's')) as [number, ...number[]]
  for (const author of authors) await world.follow(v, author)
  await world.deliverBy(authors[2] as number, 'pull')
  for (let n = 0; n < 120; n++) await world.pastPost(authors[n % 3] as number)
  const hidden = (await world.oracle(v)).filter((_, index) => index % 7 === 0)
  for (const id of hidden) await world.hide(v, id)
  await world.rule('mute', v, authors[1] as number)
  const report = await verifyReader(verifyContext(world), v)
  assert.deepEqual([report.differences, report.cold], [0, 1])
  assert.equal(report.pages.seam, 1, 'cold, it has no seam')
})

test('a cold feed is walked as it is, and built only afterwards', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v, a } = await readerWithPast(world)
  await world.feeds.drop([`feed:${v}`])
  const walks: string[] = []
  const context = verifyContext(world)
  const pager: Pages = {
    async home(reader, query) {
      const page = await context.pager.home(reader, query)
      walks.push(page.source)
      return page
    }
  }
  await world.publish(a)
  const report = await verifyReader({ ...context, pager }, v)
  assert.deepEqual([report.cold, report.differences], [1, 0])
  assert.deepEqual(new Set(walks.slice(0, 3)), new Set(['store']))
  assert.ok(walks.includes('warm'))
})

test('events that are not worked off in time are told, be there a difference or not', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v } = await readerWithPast(world)
  await world.feeds.drop([`feed:${v}`])
  const report = await verifyReader(verifyContext(world, { pending: async () => 7 }), v)
  assert.deepEqual([report.pending, report.differences], [7, 0])
})

for (const cap of [10, 11, 12, 13, 14]) {
  test(`the seam lies in the middle of a page, with a cap of ${cap}`, async t => {
    const world = await openWorld(t, 'memory', { cap, slack: 0 })
    const [v] = (await world.users('v')) as [number]
    for (let n = 0; n < 40; n++) await world.pastPost(v)
    await world.build(`feed:${v}`)
    const report = await verifyReader(verifyContext(world), v)
    assert.deepEqual([report.pages.seam, report.differences], [2, 0])
  })
}

test('an id taken out of a feed by hand is missing', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v, a } = await readerWithPast(world)
  const [id] = (await world.store.idsByAuthor(a, '9'.repeat(19), '0', 1)) as [string]
  await world.feeds.remove(`feed:${v}`, [id])
  const report = await verifyReader(verifyContext(world), v)
  assert.deepEqual([report.differences, report.missing], [1, 1])
  assert.deepEqual(report.examples, [{ reader: 'v', walk: 'warm', kind: 'missing', post: id }])
})

test('what the fan-out did not push is missing', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v, a } = await readerWithPast(world)
  for (let n = 0; n < 25; n++) await world.publish(a)
  const report = await verifyReader(verifyContext(world, { settle: async () => 25 }), v)
  assert.deepEqual([report.differences, report.missing, report.examples.length], [25, 25, 20])
})

test('what does not belong into a feed is extra', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v } = await readerWithPast(world)
  const [stranger] = (await world.users('x')) as [number]
  const id = await world.post(stranger)
  await world.feeds.push([{ list: `feed:${v}`, id }])
  const report = await verifyReader(verifyContext(world), v)
  assert.deepEqual([report.differences, report.extra], [1, 1])
  assert.equal(report.examples[0]?.post, id)
})

test('what is only on its way is no difference', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v, a } = await readerWithPast(world)
  let settles = 0
  let id = await world.publish(a)
  const settle = async () => {
    settles++
    await world.deliver(a, id)
    if (settles === 1) id = await world.publish(a)
    return 0
  }
  const report = await verifyReader(verifyContext(world, { settle }), v)
  assert.deepEqual([report.differences, settles], [0, 1])
  await verifyReader(verifyContext(world, { settle }), v)
  assert.equal(settles, 1, 'what is right is not waited for')
})

test('posts that come, go and are hidden during a walk are no difference', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v, a } = await readerWithPast(world)
  const oracle = await world.oracle(v)
  let pages = 0
  const pager: Pages = {
    async home(reader, query) {
      const page = await world.pager.home(reader, query)
      if (pages++ % 3 === 0) {
        await world.post(a)
        await world.publish(v)
        await world.hide(v, oracle[pages] as string)
      }
      return page
    }
  }
  let settles = 0
  const settle = async () => settles++ * 0
  const report = await verifyReader(verifyContext(world, { pager, settle }), v)
  assert.deepEqual([report.differences, settles], [0, 0])
})

test('pages out of order, repeated, or that do not get on are told', async t => {
  const world = await openWorld(t, 'memory', LOW_CAP)
  const { v } = await readerWithPast(world)
  const swapped: Pages = {
    async home(reader, query) {
      const page = await world.pager.home(reader, query)
      const [one, two, ...more] = page.ids
      if (query.source === 'store' || one === undefined || two === undefined) return page
      return { ...page, ids: [two, one, ...more] }
    }
  }
  const first = await verifyReader(verifyContext(world, { pager: swapped }), v)
  assert.ok(first.misordered > 2)
  assert.equal(first.differences, first.misordered)
  const stuck: Pages = {
    async home(reader, query) {
      const page = await world.pager.home(reader, query)
      return { ...page, next: page.next && query.below }
    }
  }
  const second = await verifyReader(verifyContext(world, { pager: stuck }), v)
  assert.ok(second.missing > 0 && second.misordered > 0)
})

test('reports add up, with 20 examples', () => {
  const example = { reader: 'v', walk: 'warm', kind: 'extra', post: '1' } as const
  const one = {
    readers: 1,
    cold: 1,
    pending: 3,
    pages: { warm: 1, store: 2, seam: 3 },
    differences: 15,
    missing: 0,
    extra: 15,
    misordered: 0,
    repaired: 0,
    stillWrong: 1,
    counts: {
      checked: 3,
      wrong: 2,
      repaired: 1,
      examples: Array(15).fill({ reader: 'v', of: 'likes', post: '1', shown: 2, counted: 1 })
    },
    examples: Array(15).fill(example)
  }
  const sum = mergeReports([one, one])
  assert.deepEqual(sum.pages, { warm: 2, store: 4, seam: 6 })
  assert.deepEqual([sum.readers, sum.cold, sum.differences, sum.extra], [2, 2, 30, 30])
  assert.equal(sum.pending, 3, 'the same events, seen twice')
  assert.deepEqual([sum.repaired, sum.stillWrong], [0, 2])
  const { examples, ...counts } = sum.counts
  assert.deepEqual([counts, examples.length], [{ checked: 6, wrong: 4, repaired: 2 }, 20])
  assert.equal(sum.examples.length, 20)
  assert.deepEqual(mergeReports([]), NOTHING_VERIFIED)
})
