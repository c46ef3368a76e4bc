// A Redis Cluster under traffic: a replica that lacks the last writes is promoted, and slots move.
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import type { Server } from '../../scripts/services/server.ts'
import { type Services, startServices } from '../../scripts/services/start-services.ts'
import { askNode, moveSlots } from '../../testkit/fault-cluster.ts'
import { pause, setStage } from '../../testkit/faults.ts'
import { until } from '../../testkit/kafka.ts'
import { assertExact } from '../../testkit/outcome.ts'

let services: Services<'postgres' | 'redis-cluster'>

before(async () => {
  services = await startServices(['postgres', 'redis-cluster'], {
    useEnvironment: false,
    cluster: { replicas: 1 }
  })
})
after(() => services.stop())

const urls = () => ({ postgresUrl: services.postgres.url, redisUrl: services['redis-cluster'].url })

/** Master and replica of the `n`th third of the slots. */
function pair(n: number): [Server, Server] {
  const { servers } = services['redis-cluster']
  return [servers[n] as Server, servers[n + 3] as Server]
}

test('slots move while posts are pushed', async t => {
  const { fleet, traffic } = await setStage(t, urls())
  const [from] = pair(1)
  const [to] = pair(2)
  await traffic.during(async () => {
    await pause(1000)
    const moved = await moveSlots(from, to, `${fleet.prefix}:*`, services['redis-cluster'].servers)
    t.diagnostic(`${moved} slots moved`)
    assert.ok(moved > 0)
    await pause(1000)
  })
  await assertExact(t, fleet, traffic)
})

test('a replica that lacks the last writes is promoted', async t => {
  const { fleet, traffic } = await setStage(t, urls())
  const [master, replica] = pair(0)
  await traffic.during(async () => {
    await pause(1000)
    // A password that the master does not know: the replica can't come back to it.
    await askNode(replica, 'CONFIG', 'SET', 'masterauth', 'wrong')
    await askNode(replica, 'CLIENT', 'KILL', 'TYPE', 'master')
    const apart = async () =>
      String(await askNode(replica, 'INFO', 'replication')).includes('master_link_status:down')
    await until('the replica is apart', apart)
    await pause(3000)
    assert.ok(await apart())
    await askNode(replica, 'CLUSTER', 'FAILOVER', 'TAKEOVER')
    await pause(4000)
    assert.match(String(await askNode(replica, 'ROLE')), /^master/)
    assert.match(String(await askNode(master, 'ROLE')), /^slave/)
  })
  await assertExact(t, fleet, traffic)
})

test('a master is killed, and its replica takes over', async t => {
  const { fleet, traffic } = await setStage(t, urls())
  const [master, replica] = pair(1)
  await traffic.during(async () => {
    await pause(1000)
    await master.kill()
    const promoted = async () => String(await askNode(replica, 'ROLE')).startsWith('master')
    await until('the replica is promoted', promoted, 30_000)
    await pause(2000)
    await master.start()
    await pause(2000)
  })
  await assertExact(t, fleet, traffic)
})
