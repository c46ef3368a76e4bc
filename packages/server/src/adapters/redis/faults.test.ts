import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { FeedsModel } from '../../../../../testkit/feeds-model.ts'
import { ask, startRedis, startRedisCluster, withoutRedis } from '../../../../../testkit/redis.ts'
import { joinFleet, type Member } from '../../../../../testkit/redis-feeds.ts'
import { createProxy, type TcpProxy } from '../../../../../testkit/tcp-proxy.ts'
import { unlessThorough } from '../../../../../testkit/thorough.ts'
import type { ListKey } from '../../ports/feeds.ts'
import { slotOf } from './slots.ts'

const LISTS = Array.from({ length: 20 }, (_, i) => `feed:${i + 1}` as ListKey)
const RUN_MS = 4000
/** A list that is trimmed within the window of its ids shows nothing from it, so lists are long here. */
const CAPS = { list: 1000, zset: 30 }

type Kind = 'list' | 'zset'

function member(kind: Kind) {
  return { kind, limits: { cap: CAPS[kind], slack: 5, idleMs: 86_400_000, buildMs: 2000 } }
}

const kinds: readonly Kind[] = ['list', 'zset']

for (const kind of kinds)
  describe(`${kind}s under faults have no hole`, { skip: unlessThorough || withoutRedis() }, () => {
    test('scripts forgotten all the time', t => forgetScripts(t, kind))
    test('connections cut, replies lost', t => cutConnections(t, kind))
    test('restarts', t => restarts(t, kind))
    test('slots on their way between nodes', t => moveSlots(t, kind))
    test('a failover', t => failOver(t, kind))
  })

/** Lets a fleet work while `harm` is done again and again, then looks at every list. */
async function survive(
  kind: Kind,
  fleet: readonly Member[],
  harm: () => Promise<unknown>,
  heal: () => Promise<unknown> = async () => {}
): Promise<FeedsModel> {
  const model = new FeedsModel(
    fleet.map(({ feeds }) => feeds),
    LISTS,
    CAPS[kind]
  )
  const work = model.run()
  const end = performance.now() + RUN_MS
  while (performance.now() < end) await harm()
  await heal()
  await wait(1500)
  model.stop()
  await work
  await model.check()
  assert.ok(model.warm > LISTS.length / 4, `only ${model.warm} lists are warm`)
  return model
}

async function forgetScripts(t: TestContext, kind: Kind): Promise<void> {
  const { url } = await startRedis(t)
  const fleet = [await joinFleet(t, [url], member(kind)), await joinFleet(t, [url], member(kind))]
  const model = await survive(kind, fleet, async () => {
    await ask(url, 'SCRIPT', 'FLUSH')
    await wait(50)
  })
  assert.equal(model.rejected, 0)
}

async function cutConnections(t: TestContext, kind: Kind): Promise<void> {
  const { url } = await startRedis(t)
  const proxy = await createProxy(Number(new URL(url).port))
  t.after(() => proxy[Symbol.asyncDispose]())
  const cut = `redis://127.0.0.1:${proxy.port}`
  const fleet = [await joinFleet(t, [cut], member(kind)), await joinFleet(t, [url], member(kind))]
  let outages = 0
  const harm = async () => {
    if (++outages === 4) await outage(proxy)
    if (Math.random() < 0.5) proxy.swallowReplies()
    else proxy.cut()
    await wait(Math.random() * 60)
    proxy.heal()
    await wait(Math.random() * 300)
  }
  const model = await survive(kind, fleet, harm, async () => proxy.heal())
  assert.ok(model.rejected > 0)
  assert.ok((fleet[0]?.telemetry.total('feeds_retries') ?? 0) > 0)
}

/** Longer than any operation waits: what could not be pushed is told so. */
async function outage(proxy: TcpProxy): Promise<void> {
  proxy.cut()
  await wait(2500)
  proxy.heal()
}

async function restarts(t: TestContext, kind: Kind): Promise<void> {
  const { url, servers } = await startRedis(t)
  const fleet = [await joinFleet(t, [url], member(kind)), await joinFleet(t, [url], member(kind))]
  await survive(kind, fleet, async () => {
    if (Math.random() < 0.5) await ask(url, 'SAVE')
    await wait(300)
    await servers[0]?.kill()
    await servers[0]?.start()
    await wait(500)
  })
}

async function moveSlots(t: TestContext, kind: Kind): Promise<void> {
  const { url } = await startRedisCluster(t)
  const urls = url.split(',')
  const fleet = [await joinFleet(t, urls, member(kind)), await joinFleet(t, urls, member(kind))]
  const ids = await Promise.all(urls.map(async url => String(await ask(url, 'CLUSTER', 'MYID'))))
  let nth = 0
  await survive(kind, fleet, async () => {
    const slot = slotOf(`feed:{${(nth++ % LISTS.length) + 1}}`)
    const from = Math.floor((slot * 3) / 16_384)
    for (const [a, b] of [
      [from, (from + 1) % 3],
      [(from + 1) % 3, from]
    ] as const)
      await moveSlot(slot, { url: urls[a]!, id: ids[a]! }, { url: urls[b]!, id: ids[b]! })
  })
}

interface Place {
  readonly url: string
  readonly id: string
}

async function moveSlot(slot: number, from: Place, to: Place): Promise<void> {
  await ask(to.url, 'CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', from.id)
  await ask(from.url, 'CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', to.id)
  await wait(30)
  const port = new URL(to.url).port
  for (;;) {
    const keys = (await ask(from.url, 'CLUSTER', 'GETKEYSINSLOT', String(slot), '10')) as string[]
    if (keys.length === 0) break
    await ask(from.url, 'MIGRATE', '127.0.0.1', port, '', '0', '1000', 'KEYS', ...keys)
  }
  await wait(30)
  await ask(to.url, 'CLUSTER', 'SETSLOT', String(slot), 'NODE', to.id)
  await ask(from.url, 'CLUSTER', 'SETSLOT', String(slot), 'NODE', to.id)
}

async function failOver(t: TestContext, kind: Kind): Promise<void> {
  const { url, servers } = await startRedisCluster(t, { replicas: 1 })
  const urls = url.split(',')
  const fleet = [await joinFleet(t, urls, member(kind)), await joinFleet(t, urls, member(kind))]
  let killed = false
  await survive(kind, fleet, async () => {
    if (!killed) await servers[1]?.kill()
    killed = true
    await wait(RUN_MS + 4000)
  })
}
