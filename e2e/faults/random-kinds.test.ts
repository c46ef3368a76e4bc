// As in random.test.ts, with other kinds of services: a cluster of Redis, Debezium, three brokers of Kafka.
import test from 'node:test'
import { startServices } from '../../scripts/services/start-services.ts'
import { connectorOf } from '../../testkit/fault-debezium.ts'
import { breakInTurn, membersOf, serversOf } from '../../testkit/fault-random.ts'
import { CALM_MS, pause, setStage, soakMs } from '../../testkit/faults.ts'
import { assertExact } from '../../testkit/outcome.ts'

const own = { useEnvironment: false }

/** Few, so that each dies more than once: what they do is in the members of random.test.ts. */
const FEW = { api1: 'api', relay: 'relay,janitor', fanout1: 'fanout', fanout2: 'fanout' }

test('sorted sets in a cluster, authors who cross the threshold: all die or sleep at random', async t => {
  await using services = await startServices(['postgres', 'redis-cluster', 'kafka'], {
    ...own,
    cluster: { replicas: 1 }
  })
  const { postgres, kafka, 'redis-cluster': cluster } = services
  const { fleet, traffic, random } = await setStage(t, {
    postgresUrl: postgres.url,
    redisUrl: cluster.url,
    kafka: kafka.url,
    members: FEW,
    // About as many as most have, so that follows and unfollows switch delivery to and fro.
    env: { FANWISE_FEEDS: 'zset', FANWISE_THRESHOLD: '9' }
  })
  const victims = [...membersOf(fleet), ...serversOf(cluster, kafka)]
  await traffic.during(async () => {
    await breakInTurn(t, random, victims, soakMs(30))
    await pause(CALM_MS)
  })
  await assertExact(t, fleet, traffic)
})

test('Debezium in place of the relay: it, its worker and all others die or sleep at random', async t => {
  await using services = await startServices(['postgres', 'redis', 'connect', 'kafka'], own)
  const { postgres, redis, kafka, connect } = services
  const connector = connectorOf(connect.url)
  const { fleet, traffic, random } = await setStage(t, {
    postgresUrl: postgres.url,
    redisUrl: redis.url,
    kafka: kafka.url,
    members: { api1: 'api', fanout1: 'fanout', fanout2: 'fanout', janitor: 'janitor' },
    env: { FANWISE_RELAY: 'cdc' },
    // To verify one reader takes seconds: the slot is confirmed now and then.
    traffic: { users: 20 },
    carry: fleet => connector.register(fleet)
  })
  await traffic.during(async () => {
    const forMs = soakMs(30)
    await Promise.all([
      breakInTurn(t, random, [...serversOf(connect), connector], forMs),
      breakInTurn(t, random, [...membersOf(fleet), ...serversOf(postgres, redis, kafka)], forMs)
    ])
    t.diagnostic(`${await connector.mend()} restarts of a failed connector`)
    await pause(CALM_MS)
  })
  await assertExact(t, fleet, traffic)
})

test('three brokers, of which one is away at a time, and all others die or sleep at random', async t => {
  await using services = await startServices(['postgres', 'redis', 'kafka'], {
    ...own,
    kafka: { brokers: 3 }
  })
  const { postgres, redis, kafka } = services
  const { fleet, traffic, random } = await setStage(t, {
    postgresUrl: postgres.url,
    redisUrl: redis.url,
    kafka: kafka.url,
    members: FEW,
    env: { FANWISE_KAFKA_REPLICAS: '3' }
  })
  const brokers = serversOf(kafka)
  await traffic.during(async () => {
    await Promise.all([
      breakInTurn(t, random, brokers, soakMs(30)),
      breakInTurn(t, random, membersOf(fleet), soakMs(30))
    ])
    await pause(CALM_MS)
  })
  await assertExact(t, fleet, traffic)
})
