import assert from 'node:assert/strict'
import test from 'node:test'
import type { VerifyReport } from '@fanwise/sdk'
import { allUsers } from '../packages/server/src/cli/import/spread.ts'
import { ldbcFolder, testData } from '../testkit/data.ts'
import { cliJson, type Place, startProcess, testPlace } from '../testkit/process.ts'

const SMALL_CAP = { FANWISE_CAP: '50', FANWISE_THRESHOLD: '100' }
const NOTHING = { users: 0, follows: 0, posts: 0, likes: 0 }

async function verifyAll(place: Place): Promise<VerifyReport> {
  return (await cliJson(place, 'verify', '--all')) as unknown as VerifyReport
}

function assertClean(report: VerifyReport, readers: number): void {
  const { differences, missing, extra, misordered } = report
  assert.deepEqual(
    { differences, missing, extra, misordered },
    { differences: 0, missing: 0, extra: 0, misordered: 0 },
    JSON.stringify(report.examples)
  )
  assert.equal(report.readers, readers)
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
  const people = await allUsers(admin)
  assertClean(await verifyAll(place), people.length)
  for (const reader of people.slice(0, 40)) {
    const { items } = await admin.as(reader).feed({ limit: 100 })
    if (items.length > 50) assert.ok((await admin.verify(reader)).pages.seam > 0, reader)
  }
  await server.stop()
})

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
