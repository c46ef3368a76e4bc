// A throw-away PostgreSQL, and a fresh database in it for each test that asks.
import { createHash, randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startBundledPostgres } from '../packages/server/src/adapters/postgres/bundled/index.ts'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { endWithProcess } from './end-with-process.ts'

export interface TestPostgres {
  url: string
  stop(): Promise<void>
}

const throwAway = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  wal_level: 'logical'
}

/** Starts PostgreSQL on a fresh folder, without durability. It never outlives this process. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fanwise-test-'))
  // PostgreSQL of a root process runs as another user, who must get in.
  await chmod(folder, 0o755)
  endWithProcess(folder)
  const systemDir = path.join(folder, 'system')
  const options = { dataDir: folder, systemDir, settings: throwAway }
  const server = await startBundledPostgres(options).catch(async error => {
    await rm(folder, { recursive: true, force: true })
    throw error
  })
  return {
    url: server.url,
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  }
}

let started: Promise<string> | undefined

/** The server of this process: the one that the environment names, or one started on first use. */
function testServer(): Promise<string> {
  const given = process.env.FANWISE_TEST_DATABASE_URL
  started ??= given ? Promise.resolve(given) : startTestPostgres().then(({ url }) => url)
  return started
}

function urlOf(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

/** Names the schema by all that makes it, so that a change gets a template of its own. */
function templateName(): string {
  const folder = path.join(import.meta.dirname, '../packages/server/src/adapters/postgres')
  const files = globSync(['migrate.ts', '**/*.sql'], { cwd: folder }).sort()
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update(readFileSync(path.join(folder, file)))
  return `fanwise_template_${hash.digest('hex').slice(0, 16)}`
}

async function buildTemplate(server: string): Promise<string> {
  const { migrate } = await import('../packages/server/src/adapters/postgres/migrate.ts')
  const name = templateName()
  await withClient(server, async client => {
    // Test processes run at the same time; the first one builds, the others wait here.
    await client.query(`select pg_advisory_lock(hashtext($1))`, [name])
    const sql = 'select datistemplate as whole from pg_database where datname = $1'
    if ((await client.query(sql, [name])).rows[0]?.whole) return
    await client.query(`drop database if exists ${name} with (force)`)
    await client.query(`create database ${name}`)
    await migrate(urlOf(server, name))
    await client.query(`alter database ${name} is_template true`)
  })
  return name
}

let template: Promise<string> | undefined

/**
 * Not awaited by the test: its hooks run in the order they were registered, so the pool on this
 * database is closed only after this began. PostgreSQL waits 5 s for that before it gives up.
 */
async function dropDatabase(server: string, name: string): Promise<void> {
  await withClient(server, async client => {
    await client
      .query(`drop database if exists ${name}`)
      .catch(() => client.query(`drop database if exists ${name} with (force)`))
  })
}

/** A database of its own for a test, which is dropped after it; with the schema unless `migrated` is false. */
export async function testDatabase(
  t: { after(hook: () => void): void },
  { migrated = true }: { migrated?: boolean } = {}
): Promise<string> {
  const server = await testServer()
  if (migrated) template ??= buildTemplate(server)
  const source = migrated ? await template : 'template0'
  const name = `fanwise_test_${randomUUID().replaceAll('-', '')}`
  await withClient(server, client => client.query(`create database ${name} template ${source}`))
  t.after(() => {
    void dropDatabase(server, name)
  })
  return urlOf(server, name)
}
