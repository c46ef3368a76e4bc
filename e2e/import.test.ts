import assert from 'node:assert/strict'
import test from 'node:test'
import type { FanwiseAdmin, VerifyReport } from '@fanwise/sdk'
import { allUsers } from '../packages/server/src/cli/import/spread.ts'
import { ldbcFolder, testData } from '../testkit/data.ts'
import { cliJson, type Place, startProcess, testPlace } from '../testkit/process.ts'

const CAP = 50
const SMALL_CAP = { FANWISE_CAP: `${CAP}`, FANWISE_THRESHOLD: '100' }
const NOTHING = { users: 0, follows: 0, posts: 0, likes: 0 }

async function verifyAll(place: Place): Promise<VerifyReport> {
  return (await cliJson(place, 'verify', '--all', '--rate', '1000')) as unknown as VerifyReport
}

function assertClean(report: VerifyReport, readers: number): void {
  const { differences, missing, extra, misordered } = report
  assert.deepEqual(
    { differences, missing, extra, misordered },
    { differences: 0, missing: 0, extra: 0, misordered: 0 },
    JSON.stringify(report.examples)
  )
  assert.deepEqual([report.readers, report.pending], [readers, 0])
  const { warm, store, seam } = report.pages
  assert.ok(warm > store + seam, `only ${warm} of ${warm + store + seam} pages were warm`)
}

test('a social graph and posts of one event: imported once, every feed exact across the seam', async t => {
  const place = await testPlace(t, SMALL_CAP)
  const server = await startProcess(t, place)
  const data = await testData(place.folder)
  const graph = ['import', data.edges, '--undirected']
  const posts = ['import', data.posts, '--spread']
  const first = await cliJson(place, ...graph)
  assert.equal(first.rejected, 0)
  assert.equal((first.created as typeof NOTHING).follows, 2 * 18_812)
  const second = await cliJson(place, ...posts)
  assert.equal(second.rejected, 0)
  assert.equal((second.created as typeof NOTHING).posts, 12_118)
  for (const again of [graph, posts])
    assert.deepEqual((await cliJson(place, ...again)).created, NOTHING)

  const admin = await server.admin()
  await admin.as('newcomer').createPost({ content: 'Signing up must not move anybody.' })
  assert.deepEqual((await cliJson(place, ...posts)).created, NOTHING)
  const people = await allUsers(admin)
  const cold = await verifyAll(place)
  assertClean(cold, people.length)
  assert.ok(cold.cold > 0, 'an import makes no feed warm')
  await pushToWarm(admin, people)
  const warm = await verifyAll(place)
  assertClean(warm, people.length)
  assert.equal(warm.cold, 0)
  await assertSeams(admin, people)
  await server.stop()
})

/** Reads all feeds, so that they are warm, and then posts through the API, so that posts are pushed into them. */
async function pushToWarm(admin: FanwiseAdmin, people: readonly string[]): Promise<void> {
  for (const reader of people) await admin.as(reader).feed()
  assert.ok(await admin.settle(60_000))
  const authors = people.filter((_, index) => index % 10 === 0)
  for (let n = 0; n < 3; n++)
    for (const author of authors) await admin.as(author).createPost({ content: `pushed ${n}` })
  assert.ok(await admin.settle(60_000))
}

/** Whoever has more posts than a feed holds crosses the seam, also where the newest ones were pushed. */
async function assertSeams(admin: FanwiseAdmin, people: readonly string[]): Promise<void> {
  let crossed = 0
  for (const reader of people.filter((_, index) => index % 20 === 0)) {
    const { items } = await admin.as(reader).feed({ limit: 100 })
    if (items.length <= CAP) continue
    crossed++
    const { pages, differences } = await admin.verify(reader)
    assert.ok(pages.seam > 0 && differences === 0, reader)
  }
  assert.ok(crossed > 10, `only ${crossed} readers have more than ${CAP} posts`)
}

const ldbc = ldbcFolder()

test('the LDBC network with its likes', {
  skip: ldbc === undefined && !process.env.CI ? 'no LDBC folder' : false
}, async t => {
  assert.ok(ldbc, 'the LDBC folder is needed: set FANWISE_TEST_DATA')
  const place = await testPlace(t, SMALL_CAP)
  const server = await startProcess(t, place)
  const { created, rejected } = await cliJson(place, 'import', ldbc)
  assert.equal(rejected, 0)
  assert.deepEqual(created, { users: 222, follows: 1650, posts: 5924, likes: 759 })
  assert.deepEqual((await cliJson(place, 'import', ldbc)).created, NOTHING)
  assertClean(await verifyAll(place), 222)
  assert.equal((await (await server.admin()).stats()).likes, 759)
  await server.stop()
})
