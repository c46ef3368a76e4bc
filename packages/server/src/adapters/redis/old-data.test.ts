import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { ask, startRedis, startRedisCluster, withoutRedis } from '../../../../../testkit/redis.ts'
import { clock, eventually, joinFleet, warm } from '../../../../../testkit/redis-feeds.ts'
import { unlessThorough } from '../../../../../testkit/thorough.ts'
import { END, makePostId } from '../../domain/post-id.ts'
import { NO_RULES } from '../../domain/rules.ts'
import type { Feeds, ListKey } from '../../ports/feeds.ts'

const list: ListKey = 'feed:1'
const id = (seq: number) => makePostId(Math.floor(clock.now()) - 1000, 1, seq)

const stateOf = async (feeds: Feeds, key: ListKey = list) => (await feeds.take(key, END, 1)).state

/** Until the server is known good again; takes never show what is old meanwhile. */
async function untilCold(feeds: Feeds, key: ListKey = list): Promise<void> {
  const seen = new Set<string>()
  await eventually(async () => {
    const state = await stateOf(feeds, key)
    seen.add(state)
    return state !== 'building'
  })
  assert.equal(seen.has('warm'), false, 'old data were shown')
}

async function leave(feeds: Feeds): Promise<void> {
  await feeds[Symbol.asyncDispose]()
}

async function rulesOf(feeds: Feeds): Promise<string> {
  const read = await feeds.rules(1)
  return 'rules' in read ? 'rules' : read.lease === null ? 'no lease' : 'lease'
}

async function fillRules(feeds: Feeds): Promise<void> {
  const read = await feeds.rules(1)
  assert.ok('lease' in read && read.lease !== null)
  await feeds.fillRules(1, read.lease, NO_RULES)
  assert.equal(await rulesOf(feeds), 'rules')
}

describe('old is worse than empty', { skip: unlessThorough || withoutRedis() }, () => {
  test('a server that comes back from an old snapshot is emptied before it serves', async t => {
    const { url, servers } = await startRedis(t)
    const { feeds, telemetry } = await joinFleet(t, [url])
    await warm(feeds, list)
    await fillRules(feeds)
    await ask(url, 'SAVE')
    await feeds.push([{ list, id: id(1) }])
    await feeds.dropRules([1])
    await servers[0]?.kill()
    await assert.rejects(feeds.dropRules([1]))
    await servers[0]?.start()
    await untilCold(feeds)
    assert.equal(await rulesOf(feeds), 'lease')
    assert.ok(telemetry.total('feeds_emptied') >= 2, 'at the first start, and now')
  })

  test('who comes later empties it as well, and who comes to a known server does not', async t => {
    const { url, servers } = await startRedis(t)
    const first = await joinFleet(t, [url])
    await warm(first.feeds, list, [id(1)])
    const second = await joinFleet(t, [url])
    assert.equal(await stateOf(second.feeds), 'warm')
    assert.equal(second.telemetry.total('feeds_emptied'), 0)
    await Promise.all([leave(first.feeds), leave(second.feeds)])
    await ask(url, 'SAVE')
    await servers[0]?.kill()
    await servers[0]?.start()
    const fleet = await Promise.all([1, 2, 3].map(() => joinFleet(t, [url])))
    for (const { feeds } of fleet) await untilCold(feeds)
    const emptied = fleet.map(({ telemetry }) => telemetry.total('feeds_emptied'))
    assert.deepEqual(emptied.sort(), [0, 0, 1], 'one wins')
  })

  test('keys that are not ours stay', async t => {
    const { url } = await startRedis(t)
    const theirs = ['feed', 'feed:{a}', 'post:{1}', 'x:feed:{1}']
    for (const key of [...theirs, 'feed:{7}']) await ask(url, 'SET', key, '1')
    await joinFleet(t, [url])
    assert.equal(await ask(url, 'EXISTS', ...theirs), theirs.length)
    assert.equal(await ask(url, 'EXISTS', 'feed:{7}'), 0)
  })

  test('FLUSHALL leaves nothing to distrust', async t => {
    const { url } = await startRedis(t)
    const { feeds, telemetry } = await joinFleet(t, [url])
    await warm(feeds, list)
    await ask(url, 'FLUSHALL')
    assert.equal(await stateOf(feeds), 'cold')
    await warm(feeds, list, [id(1)])
    await eventually(async () => Number(await ask(url, 'EXISTS', 'guard:{0}')) === 1)
    assert.equal(await stateOf(feeds), 'warm')
    assert.equal(telemetry.total('feeds_emptied'), 1)
  })

  test('a promoted replica that lacks the last writes is emptied', t => promoted(t, 'list'))
  test('the same with sorted sets', t => promoted(t, 'zset'))

  test('a server that becomes a replica is not used', async t => {
    const [one, other] = [await startRedis(t), await startRedis(t)]
    const { feeds } = await joinFleet(t, [one.url])
    await warm(feeds, list)
    await ask(one.url, 'REPLICAOF', '127.0.0.1', new URL(other.url).port)
    await eventually(() =>
      feeds.push([{ list, id: id(1) }]).then(
        () => false,
        () => true
      )
    )
    await assert.rejects(feeds.take(list, END, 1))
    await ask(one.url, 'REPLICAOF', 'NO', 'ONE')
    await untilCold(feeds)
  })
})

async function promoted(t: TestContext, kind: 'list' | 'zset'): Promise<void> {
  const { url: all, servers } = await startRedisCluster(t, { replicas: 1 })
  const urls = all.split(',')
  const { feeds } = await joinFleet(t, urls.slice(0, 3), { kind })
  const lists = Array.from({ length: 30 }, (_, i) => `feed:${i + 1}` as ListKey)
  for (const list of lists) await warm(feeds, list)
  await ask(urls[0]!, 'WAIT', '1', '1000')
  servers[3]?.pause()
  await feeds.push(lists.map(list => ({ list, id: id(1) })))
  const before = await Promise.all(lists.map(list => stateOf(feeds, list)))
  assert.ok(before.every(state => state === 'warm'))
  await servers[0]?.kill()
  servers[3]?.resume()
  const holes = new Set<ListKey>()
  const look = async (list: ListKey) => {
    const { state, ids } = await feeds.take(list, END, 1)
    if (state === 'warm' && ids.length === 0) holes.add(list)
    return state
  }
  let states: string[] = []
  await eventually(async () => {
    states = await Promise.all(lists.map(look))
    return states.every(state => state !== 'building')
  }, 30_000)
  assert.deepEqual([...holes], [])
  assert.ok(states.includes('warm') && states.includes('cold'), 'one server of three was emptied')
}
