// Pages by number where much is filtered: a page that is cut short gets on.
import assert from 'node:assert/strict'
import test from 'node:test'
import { openWorld, SILENT } from '../../../../testkit/page-world.ts'
import type { PostId } from '../domain/post-id.ts'
import { createPager } from './page.ts'

const SIZE = 2

test('numbered pages get past more posts of somebody muted than one page may look at', async t => {
  const world = await openWorld(t, 'memory', { numberedPages: true, pageScan: 5 })
  const [v, a, m] = (await world.users('v', 'a', 'm')) as [number, number, number]
  for (const author of [a, m]) await world.follow(v, author)
  for (let n = 0; n < 5; n++) await world.pastPost(a)
  for (let n = 0; n < 23; n++) await world.pastPost(m)
  await world.rule('mute', v, m)
  const shown: PostId[] = []
  let snapshot: string | null = null
  let requests = 0
  for (let page = 1; ; ) {
    assert.ok(requests++ < 20, 'it does not get on')
    const got = await world.pager.numbered(v, { page, size: SIZE, snapshot })
    snapshot = got.snapshot
    if (got.partial) continue
    assert.ok(got.ids.length <= SIZE)
    shown.push(...got.ids)
    if (got.next === null) break
    page++
  }
  assert.deepEqual(shown, await world.oracle(v))
})

test('numbered pages are measured by what they come from, like all pages', async t => {
  const world = await openWorld(t, 'memory', { numberedPages: true, cap: 100 })
  const [v, a] = (await world.users('v', 'a')) as [number, number]
  await world.follow(v, a)
  for (let n = 0; n < 7; n++) await world.pastPost(a)
  const observed: [string, object][] = []
  const observe = (name: string, _: number, labels = {}) => void observed.push([name, labels])
  const { store, feeds, clock, limits } = world
  const telemetry = { ...SILENT, observe }
  const pager = createPager({ store, feeds, clock, limits, telemetry, requestBuild() {} })
  const read = async (page: number, snapshot: string | null) =>
    pager.numbered(v, { page, size: SIZE, snapshot })
  const { snapshot, source } = await read(1, null)
  const sources = [source]
  await world.build(`feed:${v}`)
  for (const page of [2, 1]) sources.push((await read(page, snapshot)).source)
  assert.deepEqual(sources, ['store', 'warm', 'warm'])
  assert.deepEqual(
    observed.filter(([name]) => name === 'page_ms'),
    sources.map(of => ['page_ms', { source: of }])
  )
})
