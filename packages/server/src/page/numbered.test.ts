// Pages by number where much is filtered: a page that is cut short gets on.
import assert from 'node:assert/strict'
import test from 'node:test'
import { openWorld } from '../../../../testkit/page-world.ts'
import type { PostId } from '../domain/post-id.ts'

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
