// What a page costs in questions to Store and Feeds.
import assert from 'node:assert/strict'
import test from 'node:test'
import { openWorld, SILENT } from '../../../../testkit/page-world.ts'
import { watched } from '../../../../testkit/watched.ts'
import { END } from '../domain/post-id.ts'
import { createPager } from './page.ts'

test('ME-08: a page asks as often for 100 posts of 50 authors as for one post', async t => {
  const world = await openWorld(t, 'memory', { cap: 200 })
  const authors = Array.from({ length: 50 }, (_, n) => `a${n}`)
  const [v = 0, ...followees] = await world.users('v', ...authors)
  for (const author of followees) await world.follow(v, author)
  await world.build(`feed:${v}`)
  for (let n = 0; n < 120; n++) {
    await world.wait(1000)
    await world.post(followees[n % 50] ?? 0)
  }
  const effort = async (limit: number, warm: boolean) => {
    if (!warm) await world.feeds.drop([`feed:${v}`])
    const asked: string[] = []
    const pager = createPager({
      ...{ clock: world.clock, limits: world.limits, telemetry: SILENT, requestBuild() {} },
      store: watched(world.store, asked),
      feeds: watched(world.feeds, asked)
    })
    const { ids } = await pager.home(v, { below: END, limit })
    assert.equal(ids.length, limit)
    return asked.sort()
  }
  await effort(1, true)
  for (const warm of [true, false]) {
    const one = await effort(1, warm)
    assert.deepEqual(await effort(100, warm), one, warm ? 'warm' : 'cold')
    assert.ok(one.length <= 10, one.join())
  }
})
