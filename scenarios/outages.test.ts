// Servers and sessions that end at the wrong moment. Outages of services as a whole are in e2e/faults.
import assert from 'node:assert/strict'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { until } from '../testkit/kafka.ts'
import { following, postMany, scenario, type World, walkHome } from './world.ts'

const ended = (error: { code?: string }) => assert.equal(error.code, 'unavailable')

/** Ends every session of the servers, as a restart or a failover of PostgreSQL does. */
async function endSessions({ databaseUrl }: World): Promise<number> {
  const sql = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'fanwise'`
  return (await withClient(databaseUrl, client => client.query(sql))).rowCount ?? 0
}

scenario(
  'OR-14: sessions that end again and again lose nothing that was answered',
  {},
  async (world, t) => {
    await following(world, 'v', 'a', 'b')
    await following(world, 'w', 'a')
    await walkHome(world, 'v')
    const made: string[] = []
    let cut = 0
    for (let n = 0; n < 12; n++) {
      const author = n % 2 === 0 ? 'a' : 'b'
      const post = world.as(author).createPost({ content: `${n}` }, { idempotencyKey: `k${n}` })
      if (n % 3 === 2) cut += await endSessions(world)
      await post.catch(ended)
      // Whoever got no answer asks again, until there is one.
      await until(`post ${n} is answered`, async () => {
        const again = world.as(author).createPost({ content: `${n}` }, { idempotencyKey: `k${n}` })
        const { id } = (await again.catch(ended)) ?? {}
        if (id !== undefined) made.unshift(id)
        return id !== undefined
      })
    }
    t.diagnostic(`${cut} sessions were ended`)
    assert.ok(cut > 0)
    await until('all is settled', async () => {
      await world.settle().catch(() => undefined)
      return (await walkHome(world, 'v')).length === made.length
    })
    assert.deepEqual(await walkHome(world, 'v'), made.toSorted().reverse())
    assert.equal((await walkHome(world, 'w')).length, 6)
    for (const reader of ['v', 'w'])
      assert.equal((await world.admin.verify(reader)).differences, 0, reader)
    assert.equal((await world.admin.stats()).outboxDead, 0)
  }
)

scenario(
  'OR-15: a server that stops before its events are worked off leaves them to the next',
  {},
  async world => {
    await following(world, 'v', 'a', 'b')
    await world.settle()
    for (let round = 0; round < 3; round++) {
      const [[latest = '']] = await Promise.all([postMany(world, 'a', 3), postMany(world, 'b', 3)])
      await world.as('v').like(latest)
      await world.restart()
      assert.equal((await walkHome(world, 'v')).length, 6 * (round + 1))
    }
    await world.settle()
    const ids = await walkHome(world, 'v')
    assert.deepEqual(ids, ids.toSorted().reverse())
    assert.equal((await world.admin.verify('v')).differences, 0)
    assert.equal((await world.as('a').getUser('a')).counts.posts, 9)
  }
)
