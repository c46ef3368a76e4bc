import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, watch } from 'node:fs/promises'
import test from 'node:test'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { startTestPostgres, testDatabase } from './postgres.ts'
import { testFolder } from './postgres-folder.ts'

const tables = `select count(*)::int as n from pg_tables where schemaname = 'public'`

async function ask(url: string, sql: string): Promise<unknown> {
  return await withClient(url, async client => (await client.query(sql)).rows[0]?.n)
}

/** Runs a line of code that sees the testkit, in a process of its own. */
function run(code: string, env: Record<string, string>): ChildProcess {
  const module = `import * as kit from ${JSON.stringify(import.meta.resolve('./postgres.ts'))}; ${code}`
  return spawn(process.execPath, [...process.execArgv, '--input-type=module', '-e', module], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit']
  })
}

test('each database is fresh, has the schema unless told otherwise, and goes with its test', async t => {
  let used = ''
  await t.test('a test', async inner => {
    used = await testDatabase(inner)
    const other = await testDatabase(inner)
    const plain = await testDatabase(inner, { migrated: false })
    assert.ok(Number(await ask(used, tables)) > 5)
    assert.equal(await ask(plain, tables), 0)
    await withClient(used, client => client.query('create table mine ()'))
    const mine = `select to_regclass('mine')::text as n`
    assert.equal(await ask(used, mine), 'mine')
    assert.equal(await ask(other, mine), null)
  })
  const admin = new URL(used)
  const name = admin.pathname.slice(1)
  admin.pathname = '/postgres'
  const left = `select count(*)::int as n from pg_database where datname = '${name}'`
  while ((await ask(admin.href, left)) !== 0);
})

test('processes that want the schema at the same time share one migration', async () => {
  const server = await startTestPostgres()
  try {
    const code = 'await kit.testDatabase({ after() {} })'
    const started = [1, 2, 3].map(() => run(code, { FANWISE_TEST_DATABASE_URL: server.url }))
    const codes = await Promise.all(started.map(async child => (await once(child, 'exit'))[0]))
    assert.deepEqual(codes, [0, 0, 0])
    const databases = `select count(*) filter (where datname like 'fanwise_test_%') * 10
      + count(*) filter (where datname like 'fanwise_template_%') as n from pg_database`
    assert.equal(Number(await ask(server.url, databases)), 31)
  } finally {
    await server.stop()
  }
})

/** Returns once a folder has become empty. The watch begins before the folder is looked at. */
async function emptied(dir: string): Promise<void> {
  const done = new AbortController()
  const changes = watch(dir, { signal: done.signal })[Symbol.asyncIterator]()
  let next = changes.next()
  while ((await readdir(dir)).length > 0) {
    await next
    next = changes.next()
  }
  next.catch(() => undefined)
  done.abort()
}

for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
  test(`a process ended by ${signal} leaves no PostgreSQL and no folder`, async () => {
    await using folder = await testFolder()
    const child = run(
      'console.log((await kit.startTestPostgres()).url); setInterval(() => {}, 1e6)',
      {
        TMPDIR: folder.dir
      }
    )
    const ended = once(child, 'exit')
    const [line] = await once(child.stdout!, 'data')
    const url = String(line).trim()
    assert.equal(await ask(url, 'select 1 as n'), 1)
    child.kill(signal)
    await ended
    await emptied(folder.dir)
    await assert.rejects(ask(url, 'select 1 as n'), { code: 'ECONNREFUSED' })
  })
}

test('a process that fails leaves no PostgreSQL and no folder', async () => {
  await using folder = await testFolder()
  const child = run('await kit.startTestPostgres(); process.exit(3)', { TMPDIR: folder.dir })
  const [code] = await once(child, 'exit')
  assert.equal(code, 3)
  await emptied(folder.dir)
})
