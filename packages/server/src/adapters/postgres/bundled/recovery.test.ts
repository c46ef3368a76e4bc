import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdir, readdir, readFile, stat, watch, writeFile } from 'node:fs/promises'
import path from 'node:path'
import test from 'node:test'
import { spawnServer, testFolder } from '../../../../../../testkit/postgres-folder.ts'
import { findFolderOwner, startBundledPostgres } from './index.ts'
import { startTime } from './process-identity.ts'
import { withClient } from './with-client.ts'

const count = (url: string) =>
  withClient(url, async client => (await client.query('select n from kept')).rows[0]?.n as number)

/** A pid file as a crash leaves it, of a process that is not PostgreSQL. */
async function leavePidFile(folder: string, pid: number): Promise<void> {
  const file = path.join(folder, 'cluster/postmaster.pid')
  await writeFile(file, `${pid}\n${folder}/cluster\n1\n1\n\n127.0.0.1\n 1 1\nready   \n`)
  const { uid, gid } = await stat(path.join(folder, 'cluster'))
  await chown(file, uid, gid)
}

test('a stale pid file prevents no start: of a dead process, or of another program', async () => {
  await using folder = await testFolder()
  const first = await startBundledPostgres(folder.options)
  await withClient(first.url, client => client.query('create table kept as select 7 as n'))
  await first.stop()
  const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: 'pipe' })
  const ended = once(other, 'exit')
  for (const pid of [999_999_999, other.pid!, process.pid]) {
    await leavePidFile(first.dataDir, pid)
    await using server = await startBundledPostgres(folder.options)
    assert.equal(await count(server.url), 7)
  }
  assert.notEqual(startTime(other.pid!), undefined)
  other.stdin.end()
  await ended
})

test('what an interrupted initdb left is not taken for a database', async () => {
  await using folder = await testFolder()
  const first = await startBundledPostgres(folder.options)
  await first.stop()
  const half = path.join(folder.dir, 'half/postgres/cluster.0123')
  await cp(path.join(first.dataDir, 'cluster'), half, { recursive: true })
  await using server = await startBundledPostgres({
    ...folder.options,
    dataDir: path.join(folder.dir, 'half')
  })
  await withClient(server.url, client => client.query('select 1'))
  const names = (await readdir(server.dataDir)).filter(name => name.startsWith('cluster'))
  assert.deepEqual(names, ['cluster'])
})

test('a server that is killed in the middle of initdb prevents no start', async () => {
  await using folder = await testFolder()
  const place = path.join(folder.options.dataDir, 'postgres')
  await mkdir(place, { recursive: true })
  const changes = watch(place)[Symbol.asyncIterator]()
  const killed = spawnServer(folder.options)
  const ended = once(killed, 'close')
  for (;;) {
    const { value } = await changes.next()
    if (value?.filename?.startsWith('cluster.')) break
  }
  killed.kill('SIGKILL')
  await ended
  await changes.return?.()
  await using server = await startBundledPostgres(folder.options)
  await withClient(server.url, client => client.query('create table kept as select 7 as n'))
  assert.equal(await count(server.url), 7)
})

test('a PostgreSQL that dies is reported, and the next start recovers', async () => {
  await using folder = await testFolder()
  const died = Promise.withResolvers<string>()
  const first = await startBundledPostgres({ ...folder.options, onExit: died.resolve })
  await withClient(first.url, client => client.query('create table kept as select 7 as n'))
  process.kill(first.pid, 'SIGKILL')
  assert.match(await died.promise, /SIGKILL/)
  await first.stop()
  await using server = await startBundledPostgres(folder.options)
  assert.equal(await count(server.url), 7)
})

test('a hold that PostgreSQL ended is taken again, and one that another took is reported', async () => {
  await using folder = await testFolder()
  const lost = Promise.withResolvers<Error>()
  await using server = await startBundledPostgres({ ...folder.options, onLost: lost.resolve })
  await server.setOwner({ port: 8124 })
  const admin = server.url.replace(/fanwise$/, 'postgres')
  const endHold = () =>
    withClient(admin, client =>
      client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where application_name ~ $1',
        [`^fanwise ${process.pid}`]
      )
    )
  await endHold()
  const { dataDir, systemDir } = folder.options
  let owner: unknown
  while (owner === undefined) owner = await findFolderOwner(dataDir, systemDir)
  assert.deepEqual(owner, { pid: process.pid, port: 8124 })
  await withClient(admin, async thief => {
    await thief.query(`set application_name = 'fanwise 1 2'`)
    const taken = thief.query('select pg_advisory_lock(4601173, 1)')
    await endHold()
    await taken
    assert.match(String((await lost.promise).cause), /pid 1 \(port 2\)/)
  })
})

test('data without its password, or of another version, is refused by name', async () => {
  await using folder = await testFolder()
  const first = await startBundledPostgres(folder.options)
  await first.stop()
  const version = path.join(first.dataDir, 'cluster/PG_VERSION')
  const text = await readFile(version, 'utf8')
  await writeFile(version, '17\n')
  await assert.rejects(startBundledPostgres(folder.options), { code: 'version_mismatch' })
  await writeFile(version, text)
  await writeFile(path.join(first.dataDir, 'password'), '')
  await assert.rejects(startBundledPostgres(folder.options), { code: 'password_missing' })
})

test('settings that PostgreSQL refuses show in the error', async () => {
  await using folder = await testFolder()
  const settings = { shared_buffers: 'much' }
  await assert.rejects(startBundledPostgres({ ...folder.options, settings }), {
    code: 'start_failed',
    message: /shared_buffers/
  })
})
