import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test from 'node:test'
import type { FanwiseAdmin, PostId } from '@fanwise/sdk'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { runImport } from '../packages/server/src/cli/import/run.ts'
import { openSource } from '../packages/server/src/cli/import/source.ts'
import { allUsers, spreadOver } from '../packages/server/src/cli/import/spread.ts'
import { testData } from '../testkit/data.ts'
import { startServer } from '../testkit/server.ts'
import { walk } from '../testkit/walk.ts'

const READERS = 20
const LIMITS = [1, 7, 20, 100]

/** What the feeds have to be, asked of the tables by one statement each. */
const ORACLE = `select p.id::text as id from posts p join users a on a.number = p.author
  where p.deleted_at is null and a.status = 'active'
    and (a.id = $1 or exists (
      select from follows f join users r on r.number = f.follower
      where r.id = $1 and f.followee = p.author))
  order by p.id desc`

async function load(admin: FanwiseAdmin, folder: string): Promise<string[]> {
  const data = await testData(folder)
  const options = { undirected: true, columns: new Map<string, string>() }
  await runImport(admin, await openSource(data.edges, options))
  const people = await allUsers(admin)
  const spread = spreadOver(people)
  const posts = await openSource(data.posts, options)
  const placed = (async function* () {
    for await (const record of posts) yield spread(record)
  })()
  await runImport(admin, placed)
  assert.ok(await admin.settle(60_000))
  return people
}

for (const [name, threshold] of [
  ['nobody is a celebrity', '1000000'],
  ['many are celebrities', '60']
] as const)
  test(`walks over HTTP are what SQL says: ${name}`, async t => {
    const folder = await mkdtemp(path.join(tmpdir(), 'fanwise-walk-'))
    t.after(() => rm(folder, { recursive: true }))
    const server = await startServer(t, {
      settings: { cap: '50', threshold },
      limits: { graceMs: 100 }
    })
    const people = await load(server.admin, folder)
    await withClient(server.databaseUrl, async client => {
      const pulled = await client.query(
        `select count(*)::int as n from users where delivery <> 'push'`
      )
      assert.equal(pulled.rows[0].n > 0, threshold === '60')
      const step = Math.floor(people.length / READERS)
      for (const reader of people.filter((_, index) => index % step === 0).slice(0, READERS)) {
        const { rows } = await client.query<{ id: PostId }>(ORACLE, [reader])
        const expected = rows.map(({ id }) => id)
        for (const limit of LIMITS) {
          const walked = await walk(query => server.client(reader).feed(query), limit)
          assert.deepEqual(walked, expected, `${reader} by ${limit}`)
        }
      }
    })
  })
