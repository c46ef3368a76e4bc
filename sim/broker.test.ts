import assert from 'node:assert/strict'
import test from 'node:test'
import { eventLogConformance } from '../packages/server/src/ports/event-log.conformance.ts'
import { Broker } from './broker.ts'
import { createBrokerClient } from './broker-client.ts'
import { Chance } from './chance.ts'
import { Machine } from './machine.ts'
import { Network } from './network.ts'
import { Scheduler } from './scheduler.ts'

function make(names: readonly string[], partitions: number) {
  const scheduler = new Scheduler()
  const network = new Network(scheduler, new Chance(1))
  const broker = new Broker(network, partitions)
  const machines = names.map((name, i) => new Machine(name, network, i))
  return { scheduler, broker, machines }
}

eventLogConformance(
  'simulated log',
  async t => {
    const { scheduler, broker, machines } = make(['a'], 64)
    let on = true
    t.after(() => {
      on = false
    })
    const run = async () => {
      while (on) await scheduler.run(scheduler.now + 100)
    }
    void run()
    return createBrokerClient(broker, machines[0]!)
  },
  { assigns: 'partitions' }
)

test('who lost a partition commits nothing, and its events come again to the next owner', async () => {
  const { scheduler, broker, machines } = make(['a', 'b'], 1)
  const done: string[] = []
  const stuck = Promise.withResolvers<void>()
  for (const machine of machines)
    await createBrokerClient(broker, machine).consume(() => ({
      async handle() {
        done.push(machine.name)
        if (done.length === 1) await stuck.promise
      },
      async close() {}
    }))
  broker.append([{ id: '1', lane: 0, event: { type: 'user', author: 1 } }])
  await scheduler.run(10_000)
  const owner = machines.find(({ name }) => name === done[0])
  assert.ok(owner !== undefined && done.length === 1)
  owner.freeze()
  await scheduler.run(60_000)
  assert.equal(done.length, 2)
  assert.notEqual(done[0], done[1])
  assert.equal(broker.pending(), 0)
  owner.thaw()
  stuck.resolve()
  await scheduler.run(70_000)
  assert.equal(broker.pending(), 0)
  assert.equal(done.length, 2)
})
