import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { FanwiseAdmin, FanwiseClient } from '@fanwise/sdk'
import { Client } from 'pg'
import { testDatabase } from '../../../testkit/postgres.ts'
import { SECRET } from '../../../testkit/server.ts'
import { startApp } from './app.ts'
import { readConfig } from './config.ts'
import { signToken } from './http/auth/sign-token.ts'

async function configFor(t: TestContext, settings: Parameters<typeof readConfig>[0]) {
  const databaseUrl = await testDatabase(t)
  const shared = { port: '0', logLevel: 'silent', secret: SECRET, poolMax: '6', databaseUrl }
  return readConfig({ ...shared, ...settings }, {})
}

test('production without a server key serves users; the routes of the key are off', async t => {
  await using app = await startApp(await configFor(t, { env: 'production' }))
  const url = app.url ?? ''
  const client = new FanwiseClient({ url, token: () => signToken({ secret: SECRET }, 'ann', '1h') })
  await client.createPost({ content: 'hi' })
  assert.equal((await client.feed()).items.length, 1)
  for (const serverKey of [' ', 'undefined', 'x'.repeat(40)]) {
    const admin = new FanwiseAdmin({ url, serverKey, retries: 0 })
    await assert.rejects(admin.stats(), error => (error as { status: number }).status === 401)
  }
})

test('what workers recorded is in the ledger when a process has stopped', async t => {
  const config = await configFor(t, { roles: 'api,relay,fanout' })
  const client = new Client(config.databaseUrl)
  await client.connect()
  t.after(() => client.end())
  const app = await startApp(config, { listen: false })
  const post = () => app.feed.as('ann').createPost({ content: 'hi' })
  await client.query('begin')
  await client.query('lock table ledger in share mode')
  for (let n = 0; n < 2; n++) {
    await post()
    await app.feed.admin.settle()
  }
  const stopped = app[Symbol.asyncDispose]()
  const { log } = app.ports
  while (
    await log.append([]).then(
      () => true,
      () => false
    )
  )
    await setImmediate()
  for (let turn = 0; turn < 50; turn++) await setImmediate()
  await client.query('rollback')
  await stopped
  const { rows } = await client.query('select count(distinct post)::int as posts from ledger')
  assert.deepEqual(rows, [{ posts: 2 }])
})

test('production without a secret does not start', async t => {
  await assert.rejects(startApp(await configFor(t, { env: 'production', secret: '' })), {
    message: /FANWISE_SECRET/
  })
})

for (const roles of ['api', 'janitor', 'api,janitor', 'api,relay,fanout'])
  test(`a process with the roles ${roles} starts, works and stops`, async t => {
    const config = await configFor(t, { roles })
    {
      await using app = await startApp(config)
      await app.feed.as('ann').createPost({ content: 'hi' })
      const settled = await app.feed.admin.settle(roles.includes('relay') ? 20_000 : 50)
      assert.equal(settled, roles.includes('relay'))
    }
    await using _again = await startApp(config)
  })

for (const roles of ['api,relay', 'api,fanout', 'relay,fanout'])
  test(`embedded, the roles ${roles} alone are refused: events or feeds would be lost`, async t => {
    await assert.rejects(startApp(await configFor(t, { roles })), { message: /FANWISE_ROLES/ })
  })
