import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { ask, startRedis, startRedisCluster, withoutRedis } from '../../../../../testkit/redis.ts'
import { eventually, joinFleet } from '../../../../../testkit/redis-feeds.ts'
import { createProxy } from '../../../../../testkit/tcp-proxy.ts'
import type { Change, Feeds } from '../../ports/feeds.ts'
import { STEP_MS } from './steps.ts'

function listen(feeds: Feeds): Change[] {
  const heard: Change[] = []
  feeds.subscribe(change => heard.push(change))
  return heard
}

const knows = (heard: readonly Change[], user: number) =>
  heard.some(change => change.everything || change.users?.includes(user))

describe('changes', { skip: withoutRedis() }, () => {
  for (const cluster of [false, true])
    test(`reach every process, ${cluster ? 'in a Cluster' : 'on one server'}`, async t => {
      const { url } = await (cluster ? startRedisCluster(t) : startRedis(t))
      const urls = url.split(',')
      const fleet = [await joinFleet(t, urls), await joinFleet(t, urls), await joinFleet(t, urls)]
      const heard = fleet.map(({ feeds }) => listen(feeds))
      for (let user = 0; user < 50; user++) await fleet[user % 3]?.feeds.announce({ users: [user] })
      await eventually(async () => heard.every(changes => changes.length === 50))
      // A process hears its own at once, so the order may differ.
      for (const changes of heard)
        assert.deepEqual(new Set(changes.map(({ users }) => users?.[0])), new Set(Array(50).keys()))
      for (const { feeds, telemetry } of fleet) {
        assert.equal(feeds.inStep(), true)
        assert.equal(telemetry.total('feeds_missed'), 0)
      }
    })

  test('who is in step a moment later has heard it, whatever the network does', async t => {
    const { url } = await startRedis(t)
    const proxy = await createProxy(Number(new URL(url).port))
    t.after(() => proxy[Symbol.asyncDispose]())
    const announcer = await joinFleet(t, [url])
    const { feeds } = await joinFleet(t, [`redis://127.0.0.1:${proxy.port}`])
    const heard = listen(feeds)
    const harms = [() => proxy.cut(), () => proxy.blackhole(), () => proxy.delay(300), () => {}]
    let inStep = 0
    for (let user = 0; user < 40; user++) {
      harms[user % harms.length]?.()
      await announcer.feeds.announce({ users: [user] })
      await wait(STEP_MS + 20)
      if (feeds.inStep()) {
        inStep++
        assert.ok(knows(heard, user), `in step without ${user}`)
      }
      proxy.heal()
      await wait(Math.random() * 400)
      heard.length = 0
    }
    assert.ok(inStep >= 3, `${inStep} times in step`)
    await eventually(async () => feeds.inStep())
  })

  test('a count that starts again makes everything be forgotten', async t => {
    const { url } = await startRedis(t)
    const { feeds, telemetry } = await joinFleet(t, [url])
    await feeds.announce({ users: [1] })
    await wait(2 * STEP_MS)
    const heard = listen(feeds)
    await ask(url, 'FLUSHALL')
    await eventually(async () => heard.some(change => change.everything))
    assert.ok(telemetry.total('feeds_missed') > 0)
    await eventually(async () => feeds.inStep())
  })

  test('announcing fails when the server is gone, and this process has forgotten all the same', async t => {
    const { url, servers } = await startRedis(t)
    const { feeds } = await joinFleet(t, [url])
    const heard = listen(feeds)
    await servers[0]?.kill()
    await assert.rejects(feeds.announce({ users: [5] }))
    assert.ok(knows(heard, 5))
    await wait(STEP_MS + 1)
    assert.equal(feeds.inStep(), false)
    await servers[0]?.start()
    await eventually(async () => feeds.inStep())
    assert.ok(heard.some(change => change.everything))
  })
})
