import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { FanwiseAdmin, VerifyReport } from '@fanwise/sdk'
import { Random } from '../packages/server/src/cli/generate/random.ts'
import { cliJson, type Place, startProcess, testPlace } from '../testkit/process.ts'

const KILLS = 20
/** After so many kills the feeds are judged, while they are warm. */
const VERIFY_EVERY = 5
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
    if ((round + 1) % VERIFY_EVERY === 0) await assertExact(place, await server.admin())
  }
  assert.ok(acknowledged.size > KILLS, 'hardly anything was written')
  await assertAllThere(t, await server.admin(), acknowledged)
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

/** A feed that nobody has read since the start is cold and equals the Store by itself: all are read, then pushed to. */
async function assertExact(place: Place, admin: FanwiseAdmin) {
  assert.ok(await admin.settle(60_000), 'the events of before the kill are not worked off')
  for (const person of PEOPLE) await admin.as(person).feed()
  assert.ok(await admin.settle(60_000))
  for (let n = 0; n < 3; n++)
    for (const person of PEOPLE.slice(0, 10))
      await admin.as(person).createPost({ content: `to warm feeds ${n}` })
  const { examples, ...report } = (await cliJson(
    place,
    'verify',
    '--all'
  )) as unknown as VerifyReport
  const { readers, cold, pending, differences } = report
  assert.deepEqual(
    { readers, cold, pending, differences },
    { readers: PEOPLE.length, cold: 0, pending: 0, differences: 0 },
    JSON.stringify(examples)
  )
}

async function assertAllThere(t: TestContext, admin: FanwiseAdmin, acknowledged: Set<string>) {
  const found = new Set<string>()
  for (const person of PEOPLE)
    for await (const post of admin.as(person).userPosts(person, { limit: 100 })) found.add(post.id)
  const lost = [...acknowledged].filter(id => !found.has(id))
  t.diagnostic(`${acknowledged.size} posts acknowledged`)
  assert.deepEqual(lost, [])
}
