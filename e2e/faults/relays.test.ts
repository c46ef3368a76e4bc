// What relays bring into Kafka: each event once while all is well, in order when answers are lost.
import assert from 'node:assert/strict'
import test from 'node:test'
import { withClient } from '../../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { startServices } from '../../scripts/services/start-services.ts'
import { isRefusal } from '../../testkit/acknowledged.ts'
import { eventIds } from '../../testkit/fault-kafka.ts'
import { atOnce, pause, quiet, setStage } from '../../testkit/faults.ts'
import type { Fleet } from '../../testkit/fleet.ts'
import { assertExact } from '../../testkit/outcome.ts'
import { createProxy, type TcpProxy } from '../../testkit/tcp-proxy.ts'
import type { Traffic } from '../../testkit/traffic.ts'

const POSTS = 2000
const EDITED = 200

async function outboxIds({ databaseUrl }: Fleet): Promise<string[]> {
  const { rows } = await withClient(databaseUrl, client =>
    client.query<{ id: string }>('select o.id::text from outbox o order by o.id')
  )
  return rows.map(({ id }) => id)
}

test('CC-02: four relays send each event once, and those that are left take the lanes of the dead', async t => {
  await using services = await startServices(['postgres', 'redis', 'kafka'], {
    useEnvironment: false
  })
  const relays = ['relay1', 'relay2', 'relay3', 'relay4']
  const { fleet, traffic } = await setStage(t, {
    postgresUrl: services.postgres.url,
    redisUrl: services.redis.url,
    kafka: services.kafka.url,
    members: {
      ...{ api1: 'api', worker: 'fanout,janitor' },
      ...Object.fromEntries(relays.map(name => [name, 'relay']))
    },
    traffic: quiet
  })
  await atOnce(40, POSTS, i => traffic.post(traffic.users[i % traffic.users.length] as string))
  assert.ok(await fleet.admin.settle(30_000), 'not settled')
  const sent = await eventIds(services.kafka.url, `${fleet.prefix}.events`)
  assert.deepEqual(sent.toSorted(byNumber), await outboxIds(fleet))
  for (const name of relays.slice(1)) {
    const dying = fleet.member(name).kill()
    for (const user of traffic.users) await traffic.post(user)
    await dying
  }
  await assertExact(t, fleet, traffic)
})

function byNumber(a: string, b: string): number {
  return Number(a) - Number(b)
}

test('CC-11 DE-06: answers of Kafka are lost again and again while people create, edit, delete, follow and unfollow', async t => {
  let proxy: TcpProxy | undefined
  await using services = await startServices(['postgres', 'redis', 'kafka'], {
    useEnvironment: false,
    kafka: {
      async advertise(port) {
        proxy = await createProxy(port)
        return proxy.port
      }
    }
  })
  await using between = proxy as TcpProxy
  const { fleet, traffic } = await setStage(t, {
    postgresUrl: services.postgres.url,
    redisUrl: services.redis.url,
    kafka: services.kafka.url,
    members: { api1: 'api', relay: 'relay,janitor', fanout1: 'fanout' }
  })
  let over = false
  const losing = async () => {
    while (!over) {
      between.swallowReplies()
      await pause(30)
      between.heal()
      await pause(250)
    }
  }
  const lost = losing()
  const kept = new Map<string, string>()
  await traffic.during(async () => {
    await atOnce(6, EDITED, i => changeQuickly(traffic, i, kept))
    over = true
    await lost
    await pause(2000)
  })
  assert.ok((await fleet.member('relay').metric('fanwise_relay_events_total')) > EDITED)
  await assertExact(t, fleet, traffic)
  for (const [id, content] of kept)
    assert.equal(
      (await fleet.admin.as(traffic.posts.get(id) as string).getPost(id)).content,
      content
    )
})

/** Creates, edits twice and, every other time, deletes a post; follows and unfollows. */
async function changeQuickly(
  traffic: Traffic,
  i: number,
  kept: Map<string, string>
): Promise<void> {
  const author = traffic.users[i % traffic.users.length] as string
  const reader = traffic.users[(i * 7 + 1) % traffic.users.length] as string
  const api = traffic.memberOf(author).as(author)
  const { id } = await api.createPost({ content: `${i} first` })
  traffic.posts.set(id, author)
  await api.editPost(id, { content: `${i} second` })
  await api.editPost(id, { content: `${i} third` })
  if (i % 2 === 0) {
    const deleted = () => Promise.all([api.deletePost(id), api.deletePost(id).catch(refusedOrGone)])
    await traffic.told.change({ [`delete ${id}`]: 'yes' }, deleted)
  } else kept.set(id, `${i} third`)
  if (reader === author) return
  const follow = (told: 'yes' | 'no') =>
    traffic.told.change<unknown>({ [`follow ${reader} ${author}`]: told }, () =>
      traffic.memberOf(reader).as(reader)[told === 'yes' ? 'follow' : 'unfollow'](author)
    )
  for (const told of ['yes', 'no', 'yes'] as const) await follow(told).catch(refusedOrGone)
}

/** A block of the traffic may be in the way, or the post be deleted already. */
function refusedOrGone(error: unknown): void {
  if (!isRefusal(error)) throw error
}
