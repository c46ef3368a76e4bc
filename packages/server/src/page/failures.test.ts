// Dependencies that fail, bounds that are met, and changes that overtake a read.
import assert from 'node:assert/strict'
import test from 'node:test'
import { openWorld, type PageWorld, SILENT } from '../../../../testkit/page-world.ts'
import { BEGINNING, END, type PostId } from '../domain/post-id.ts'
import type { Feeds } from '../ports/feeds.ts'
import type { Store } from '../ports/store.ts'
import { createPager, type PagerContext } from './page.ts'

/** The same thing with some methods replaced. */
function patch<T extends object>(whole: T, changes: Partial<T>): T {
  return new Proxy(whole, {
    get(_, name) {
      if (Object.hasOwn(changes, name)) return changes[name as keyof T]
      const value = whole[name as keyof T]
      return typeof value === 'function' ? value.bind(whole) : value
    }
  })
}

function pagerOf(world: PageWorld, changes: Partial<PagerContext>) {
  const { store, feeds, clock, limits } = world
  const requestBuild = () => {}
  return createPager({ store, feeds, clock, limits, telemetry: SILENT, requestBuild, ...changes })
}

/** A reader with 12 posts of a pushed and 12 of a pulled followee, all warm. */
async function mixed(world: PageWorld) {
  const [v, a, s] = (await world.users('v', 'a', 's')) as [number, number, number]
  await world.follow(v, a)
  await world.follow(v, s)
  await world.deliverBy(s, 'pull')
  await world.build(`feed:${v}`)
  await world.build(`timeline:${s}`)
  for (let n = 0; n < 24; n++) {
    await world.wait(10_000)
    await world.post(n % 2 === 0 ? a : s)
  }
  return { v, a, s, oracle: await world.oracle(v) }
}

const fail = () => Promise.reject(new Error('down'))

test('pages are whole without Feeds', async t => {
  const world = await openWorld(t, 'memory', { cap: 50 })
  const { v, oracle } = await mixed(world)
  const feeds = patch<Feeds>(world.feeds, { take: fail, rules: fail })
  const page = await pagerOf(world, { feeds }).home(v, { below: END, limit: 24 })
  assert.deepEqual([page.ids, page.source], [oracle, 'store'])
})

test('a timeline that fails is read from the Store, the feed is not', async t => {
  const world = await openWorld(t, 'memory', { cap: 50 })
  const { v, oracle } = await mixed(world)
  const take: Feeds['take'] = (list, below, limit) =>
    list.startsWith('timeline:') ? fail() : world.feeds.take(list, below, limit)
  const page = await pagerOf(world, { feeds: patch<Feeds>(world.feeds, { take }) }).home(v, {
    below: END,
    limit: 10
  })
  assert.deepEqual([page.ids, page.source], [oracle.slice(0, 10), 'seam'])
})

test('a warm page reads no ids from the Store', async t => {
  const world = await openWorld(t, 'memory', { cap: 50 })
  const { v, oracle } = await mixed(world)
  const store = patch<Store>(world.store, { homeIds: fail, idsByAuthor: fail })
  const pager = pagerOf(world, { store })
  const first = await pager.home(v, { below: END, limit: 20 })
  assert.deepEqual([first.ids, first.source], [oracle.slice(0, 20), 'warm'])
  const last = await pager.home(v, { below: first.next as PostId, limit: 20 })
  assert.deepEqual([last.ids, last.next, last.source], [oracle.slice(20), null, 'warm'])
})

for (const name of ['rules', 'homeIds', 'postsByIds', 'usersByNumbers', 'likedBy'] as const) {
  test(`without the Store there is no page: ${name}`, async t => {
    const world = await openWorld(t)
    const { v } = await mixed(world)
    await world.feeds.clear()
    const refused = () => Promise.reject(Object.assign(new Error('down'), { code: 'ECONNREFUSED' }))
    const away = pagerOf(world, { store: patch<Store>(world.store, { [name]: refused }) })
    await assert.rejects(away.home(v, { below: END, limit: 5 }), { code: 'unavailable' })
    const broken = pagerOf(world, { store: patch<Store>(world.store, { [name]: fail }) })
    await assert.rejects(broken.home(v, { below: END, limit: 5 }), { message: 'down' })
  })
}

test('a cold feed and a cold timeline are asked for once each page', async t => {
  const world = await openWorld(t, 'memory', { cap: 50 })
  const { v, s, oracle } = await mixed(world)
  await world.feeds.drop([`feed:${v}`, `timeline:${s}`])
  assert.deepEqual(await world.walk(v, 30), oracle)
  assert.deepEqual([...world.asked], [`feed:${v}`])
  await world.buildAsked()
  assert.deepEqual(await world.walk(v, 30), oracle)
  assert.deepEqual([...world.asked], [`timeline:${s}`])
  await world.buildAsked()
  assert.deepEqual(await world.walk(v, 30), oracle)
  assert.equal(world.asked.size, 0)
})

test('a page cut short by the ids looked at goes on exactly', async t => {
  const world = await openWorld(t, 'memory', { cap: 50, pageScan: 7 })
  const { v, a, oracle } = await mixed(world)
  await world.rule('mute', v, a)
  const seen: PostId[] = []
  let below: PostId | null = END
  let cut = 0
  while (below !== null) {
    const page = await world.pager.home(v, { below, limit: 5, source: 'store' })
    assert.ok(page.next === null || page.next < below)
    assert.equal(page.partial, page.next !== null && page.ids.length < 5)
    if (page.partial) cut++
    seen.push(...page.ids)
    below = page.next
  }
  assert.ok(cut > 0)
  assert.deepEqual(seen, await world.oracle(v))
  assert.equal(seen.length, oracle.length / 2)
})

test('a page cut short by time shows one round at least', async t => {
  const world = await openWorld(t, 'memory', { cap: 50 })
  const { v, a, oracle } = await mixed(world)
  await world.rule('mute', v, a)
  let now = 0
  const clock = patch(world.clock, { monotonic: () => (now += 2000) })
  const pager = pagerOf(world, { clock })
  const page = await pager.home(v, { below: END, limit: 6, source: 'store' })
  assert.equal(page.partial, true)
  assert.deepEqual(
    page.ids,
    oracle.slice(0, 7).filter((_, index) => index % 2 === 0)
  )
  assert.equal(page.next, oracle[6])
})

test('rules that took long to come do not decide about a warm list', async t => {
  const world = await openWorld(t, 'memory', { cap: 50 })
  const { v, a } = await mixed(world)
  await world.walk(v, 5)
  assert.ok('rules' in (await world.feeds.rules(v)), 'the rules are cached')
  const rules: Feeds['rules'] = async reader => {
    const found = await world.feeds.rules(reader)
    // Meanwhile the followee is switched to pull, and what they post is pushed no more.
    await world.deliverBy(a, 'pull')
    await world.wait(world.limits.graceMs)
    await world.post(a)
    return found
  }
  const pager = pagerOf(world, { feeds: patch<Feeds>(world.feeds, { rules }) })
  const page = await pager.home(v, { below: END, limit: 5 })
  assert.deepEqual(page.ids, (await world.oracle(v)).slice(0, 5))
})

test('a page after a delete never shows what was loaded before it', async t => {
  const world = await openWorld(t)
  const { v, a } = await mixed(world)
  const id = await world.post(a)
  const loading = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let loads = 0
  const postsByIds: Store['postsByIds'] = async ids => {
    const rows = await world.store.postsByIds(ids)
    // The first load has read its rows, and is on its way while the post is deleted.
    if (loads++ === 0) {
      loading.resolve()
      await release.promise
    }
    return rows
  }
  const pager = pagerOf(world, { store: patch<Store>(world.store, { postsByIds }) })
  const before = pager.home(v, { below: END, limit: 5 })
  await Promise.race([loading.promise, before])
  await world.delete(a, id)
  const after = pager.home(v, { below: END, limit: 5 })
  release.resolve()
  assert.equal((await after).ids.includes(id), false)
  assert.equal((await before).ids.includes(id), true)
  assert.equal((await pager.home(v, { below: END, limit: 5 })).ids.includes(id), false)
})

test('rules that were loaded before a block are not kept', async t => {
  const world = await openWorld(t)
  const { v, a } = await mixed(world)
  await world.feeds.dropRules([v])
  const loading = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let loads = 0
  const rules: Store['rules'] = async reader => {
    const found = await world.store.rules(reader)
    if (loads++ === 0) {
      loading.resolve()
      await release.promise
    }
    return found
  }
  const pager = pagerOf(world, { store: patch<Store>(world.store, { rules }) })
  const before = pager.home(v, { below: END, limit: 5 })
  await Promise.race([loading.promise, before])
  await world.rule('block', v, a)
  release.resolve()
  await before
  const allowed = new Set(await world.store.idsByAuthor(a, END, BEGINNING, 100))
  const after = await pager.home(v, { below: END, limit: 5 })
  assert.deepEqual(
    after.ids.filter(id => allowed.has(id)),
    []
  )
})

test('late ids ask for a settle, now and then', async t => {
  const world = await openWorld(t, 'memory', { cap: 50 })
  const { v, a } = await mixed(world)
  const late = await world.importPost(a, world.clock.now() - 60_000)
  assert.equal((await world.feeds.take(`feed:${v}`, END, 5)).unsettled, true)
  assert.deepEqual(await world.walk(v, 50), await world.oracle(v))
  assert.ok((await world.oracle(v)).includes(late))
  assert.equal((await world.feeds.take(`feed:${v}`, END, 5)).unsettled, false)
  let settles = 0
  const settle = async () => void settles++
  const pager = pagerOf(world, { feeds: patch<Feeds>(world.feeds, { settle }) })
  await world.importPost(a, world.clock.now() - 50_000)
  for (const _ of [1, 2, 3]) await pager.home(v, { below: END, limit: 5 })
  assert.equal(settles, 1)
})
