import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { FanwiseAdmin } from '@fanwise/sdk'
import { Random } from '../packages/server/src/cli/generate/random.ts'
import {
  cliJson,
  type Place,
  type RunningServer,
  startProcess,
  testPlace
} from '../testkit/process.ts'

const KILLS = 20
const PEOPLE = Array.from({ length: 60 }, (_, index) => `p${index}`)

/** Posts and imports until the server dies; notes what was acknowledged. */
async function writeUntilDead(
  admin: FanwiseAdmin,
  round: number,
  acknowledged: Set<string>
): Promise<void> {
  const post = async (author: string) => {
    for (let n = 0; ; n++)
      acknowledged.add((await admin.as(author).createPost({ content: `${round} ${n}` })).id)
  }
  const load = async () => {
    for (let n = 0; ; n++) {
      const posts = PEOPLE.map(author => ({
        author,
        content: `import ${n}`,
        externalId: `${round}.${n}`,
        createdAt: new Date(Date.now() - 30_000).toISOString()
      }))
      for (const id of (await admin.batch({ posts })).postIds) acknowledged.add(id)
    }
  }
  await Promise.allSettled([...PEOPLE.slice(0, 4).map(post), load()])
}

test(`kill -9 ${KILLS} times while people post and an import runs: nothing acknowledged is lost`, async t => {
  const seed = Number(process.env.FANWISE_TEST_SEED ?? Date.now() % 1e6)
  t.diagnostic(`FANWISE_TEST_SEED=${seed}`)
  const random = new Random(seed)
  const place = await testPlace(t, { FANWISE_CAP: '50', FANWISE_THRESHOLD: '20' })
  const acknowledged = new Set<string>()
  let server = await startProcess(t, place)
  await (await server.admin()).batch({ follows: graph(random) })
  for (let round = 0; round < KILLS; round++) {
    const writing = writeUntilDead(await server.admin(), round, acknowledged)
    await read(await server.admin(), random)
    await new Promise(resolve => setTimeout(resolve, 100 + random.index(400)))
    await server.kill()
    await writing
    server = await startProcess(t, place)
  }
  assert.ok(acknowledged.size > KILLS, 'hardly anything was written')
  await assertAllThere(t, place, server, acknowledged)
  await server.stop()
})

function graph(random: Random) {
  return PEOPLE.flatMap(follower =>
    PEOPLE.filter(
      (followee, index) => followee !== follower && random.next() < (index < 3 ? 0.9 : 0.15)
    ).map(followee => ({ follower, followee }))
  )
}

/** Readers make feeds warm, so that there is something to damage. */
async function read(admin: FanwiseAdmin, random: Random): Promise<void> {
  for (let n = 0; n < 20; n++) await admin.as(random.pick(PEOPLE)).feed()
}

async function assertAllThere(
  t: TestContext,
  place: Place,
  server: RunningServer,
  acknowledged: Set<string>
) {
  const admin = await server.admin()
  const found = new Set<string>()
  for (const person of PEOPLE)
    for await (const post of admin.as(person).userPosts(person, { limit: 100 })) found.add(post.id)
  const lost = [...acknowledged].filter(id => !found.has(id))
  t.diagnostic(`${acknowledged.size} posts acknowledged`)
  assert.deepEqual(lost, [])
  const report = await cliJson(place, 'verify', '--all')
  assert.equal(report.differences, 0, JSON.stringify(report.examples))
  assert.equal(report.readers, PEOPLE.length)
}
