import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { ask, startRedis, startRedisCluster, withoutRedis } from '../../../../../testkit/redis.ts'
import { clock, eventually, joinFleet, warm } from '../../../../../testkit/redis-feeds.ts'
import { FLIGHT_MS } from '../../domain/limits.ts'
import { END, makePostId } from '../../domain/post-id.ts'
import { NO_RULES } from '../../domain/rules.ts'
import type { ListKey } from '../../ports/feeds.ts'
import { slotOf } from './slots.ts'

const list: ListKey = 'feed:1'
const id = (seq: number) => makePostId(Math.floor(clock.now()) - 1000, 1, seq)

async function timed(work: Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await assert.rejects(work)
  return performance.now() - begun
}

describe('what a server answers', { skip: withoutRedis() }, () => {
  test('a list that has no room for an id is dropped', async t => {
    const { url } = await startRedis(t, { 'maxmemory-policy': 'noeviction' })
    const { feeds } = await joinFleet(t, [url])
    await warm(feeds, list, [id(1)])
    await warm(feeds, 'feed:2', [id(1)])
    await ask(url, 'CONFIG', 'SET', 'maxmemory', '1000')
    await feeds.push([{ list, id: id(2) }])
    assert.equal((await feeds.take(list, END, 1)).state, 'cold')
    assert.equal((await feeds.take('feed:2', END, 1)).state, 'warm')
    assert.deepEqual(await feeds.rules(1), { lease: null }, 'no room for a lease')
    await feeds.dropRules([1])
    await feeds.announce({ users: [1] })
    await assert.rejects(feeds.begin(list, 'x'))
    await ask(url, 'CONFIG', 'SET', 'maxmemory', '0')
    assert.equal(await feeds.begin(list, 'x'), true)
  })

  test('a server that is busy for a while is waited for by those who write', async t => {
    const { url } = await startRedis(t, { 'busy-reply-threshold': '50' })
    const { feeds } = await joinFleet(t, [url])
    await warm(feeds, list)
    const busy = ask(url, 'EVAL', 'while true do end', '0').catch(() => 'killed')
    await wait(200)
    const pushed = feeds.push([{ list, id: id(1) }])
    await wait(100)
    await ask(url, 'SCRIPT', 'KILL')
    await Promise.all([busy, pushed])
    assert.equal((await feeds.take(list, END, 1)).ids.length, 1)
  })

  test('a server that hangs is told at once, after the first has waited', async t => {
    const { url, servers } = await startRedis(t)
    const { feeds } = await joinFleet(t, [url], { timeoutMs: 500 })
    await warm(feeds, list)
    servers[0]?.pause()
    t.after(() => servers[0]?.resume())
    const first = await timed(feeds.push([{ list, id: id(1) }]))
    assert.ok(first >= 450 && first < 1500, `${first} ms`)
    for (const work of [feeds.push([{ list, id: id(1) }]), feeds.take(list, END, 1)])
      assert.ok((await timed(work)) < 100)
    assert.ok((await timed(feeds.announce({ users: [1] }))) < 100)
    assert.equal(feeds.inStep(), false)
    servers[0]?.resume()
    await eventually(async () => (await feeds.take(list, END, 1)).state === 'warm')
    await eventually(async () => feeds.inStep())
  })

  test('what lands too late drops its list, and only that', async t => {
    const { url, servers } = await startRedis(t)
    const { feeds, telemetry } = await joinFleet(t, [url], { timeoutMs: 300 })
    for (const list of ['feed:1', 'feed:2'] as const) await warm(feeds, list)
    servers[0]?.pause()
    t.after(() => servers[0]?.resume())
    await assert.rejects(feeds.push([{ list, id: id(1) }]))
    await wait(FLIGHT_MS + 200)
    servers[0]?.resume()
    await eventually(async () => (await feeds.take('feed:2', END, 1)).state === 'warm')
    await eventually(async () => (await feeds.take(list, END, 1)).state === 'cold')
    assert.equal(telemetry.total('feeds_emptied'), 1)
  })

  test('a slot of which the owner changed is found, by readers too', async t => {
    const { url } = await startRedisCluster(t)
    const urls = url.split(',')
    const { feeds } = await joinFleet(t, urls)
    const slot = slotOf('feed:{7}')
    const from = Math.floor((slot * 3) / 16_384)
    const to = urls[(from + 1) % 3]!
    const target = String(await ask(to, 'CLUSTER', 'MYID'))
    for (const url of [to, ...urls])
      await ask(url, 'CLUSTER', 'SETSLOT', String(slot), 'NODE', target)
    assert.equal((await feeds.take('feed:7', END, 1)).state, 'cold')
    await warm(feeds, 'feed:7')
    await feeds.push([{ list: 'feed:7', id: id(1) }])
    assert.equal((await feeds.take('feed:7', END, 1)).ids.length, 1)
  })

  test('every key has an end', async t => {
    const { url } = await startRedis(t)
    for (const kind of ['list', 'zset'] as const) {
      const { feeds } = await joinFleet(t, [url], { kind, prefix: `${kind}:` })
      await warm(feeds, list, [id(1)])
      await feeds.push([{ list, id: id(2) }])
      await feeds.settle(list)
      await feeds.begin('feed:2', 'x')
      const read = await feeds.rules(1)
      if ('lease' in read && read.lease) await feeds.fillRules(1, read.lease, NO_RULES)
      await feeds.rules(2)
      await feeds.announce({ users: [1] })
    }
    const keys = (await ask(url, 'KEYS', '*')) as string[]
    assert.ok(keys.length >= 12, String(keys))
    for (const key of keys) assert.ok(Number(await ask(url, 'PTTL', key)) > 0, key)
  })
})
