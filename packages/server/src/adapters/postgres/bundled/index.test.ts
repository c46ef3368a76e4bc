import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import test from 'node:test'
import { serveInProcess, testFolder } from '../../../../../../testkit/postgres-folder.ts'
import { holdFolder } from './folder-hold.ts'
import { findFolderOwner, findRunning, startBundledPostgres } from './index.ts'
import { startTime } from './process-identity.ts'
import { withClient } from './with-client.ts'

async function ask(url: string | undefined, sql: string): Promise<unknown> {
  assert.ok(url)
  return await withClient(url, async client => {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return rows[0]?.[0]
  })
}

test('the first start makes a durable UTF-8 database behind a password', async () => {
  await using folder = await testFolder()
  await using server = await startBundledPostgres({
    ...folder.options,
    settings: { work_mem: '5MB' }
  })
  assert.equal(new URL(server.url).hostname, '127.0.0.1')
  assert.equal(await ask(server.url, 'show fsync'), 'on')
  assert.equal(await ask(server.url, 'show synchronous_commit'), 'on')
  assert.equal(await ask(server.url, 'show server_encoding'), 'UTF8')
  assert.equal(await ask(server.url, 'show work_mem'), '5MB')
  assert.equal(await ask(server.url, 'select current_database()'), 'fanwise')
  assert.equal(await ask(server.url, `select 'é' < 'f'`), false)
  const password = path.join(server.dataDir, 'password')
  assert.equal((await stat(password)).mode & 0o777, 0o600)
  const wrong = new URL(server.url)
  wrong.password = 'wrong'
  await assert.rejects(ask(wrong.href, 'select 1'), { code: '28P01' })
})

test('a restart keeps the data', async () => {
  await using folder = await testFolder()
  const first = await startBundledPostgres(folder.options)
  await ask(first.url, 'create table kept as select 7 as n')
  await first.stop()
  await first.stop()
  assert.equal(startTime(first.pid), undefined)
  await using second = await startBundledPostgres(folder.options)
  assert.equal(second.dataDir, first.dataDir)
  assert.equal(await ask(second.url, 'select n from kept'), 7)
})

test('after kill -9 of the server its PostgreSQL is stopped, and all that was committed is there', async () => {
  await using folder = await testFolder()
  const killed = await serveInProcess(folder.options)
  await ask(killed.answer.url, 'create table kept as select 7 as n')
  await killed.kill()
  assert.notEqual(startTime(killed.answer.pid!), undefined)
  const lines: string[] = []
  await using server = await startBundledPostgres({
    ...folder.options,
    log: line => lines.push(line)
  })
  assert.equal(startTime(killed.answer.pid!), undefined)
  assert.match(lines.join(), new RegExp(`pid ${killed.answer.pid}`))
  assert.equal(await ask(server.url, 'select n from kept'), 7)
})

test('a folder of a live server is refused by pid and port, and nothing changes', async () => {
  await using folder = await testFolder()
  await using live = await serveInProcess({ ...folder.options, httpPort: 8123 })
  await ask(live.answer.url, 'create table kept as select 7 as n')
  await assert.rejects(startBundledPostgres(folder.options), {
    code: 'folder_in_use',
    owner: { pid: live.pid, port: 8123 },
    message: new RegExp(`pid ${live.pid} \\(port 8123\\)`)
  })
  assert.equal(await ask(live.answer.url, 'select n from kept'), 7)
  const { dataDir, systemDir } = folder.options
  assert.deepEqual(await findFolderOwner(dataDir, systemDir), { pid: live.pid, port: 8123 })
})

test('of two simultaneous first starts one wins', async () => {
  await using folder = await testFolder()
  const both = [serveInProcess(folder.options), serveInProcess(folder.options)]
  await using one = await both[0]!
  await using two = await both[1]!
  const [winner, loser] = one.answer.error ? [two, one] : [one, two]
  assert.equal(await ask(winner.answer.url, 'select 1'), 1)
  assert.equal(loser.answer.error?.code, 'folder_in_use')
  assert.equal(loser.answer.error.owner?.pid, winner.pid)
})

test('a PostgreSQL that another process runs is found and left as it is', async () => {
  await using folder = await testFolder()
  const { dataDir, systemDir } = folder.options
  assert.equal(await findRunning(dataDir, { systemDir }), undefined)
  await using live = await serveInProcess(folder.options)
  const found = await findRunning(dataDir, { systemDir })
  assert.deepEqual(found, { url: live.answer.url, dataDir: live.answer.dataDir })
  assert.equal(await ask(found?.url, 'select 1'), 1)
})

test('a live server is told of within a second or so', async () => {
  await using folder = await testFolder()
  await using live = await serveInProcess({ ...folder.options, httpPort: 8123 })
  const { url } = (await findRunning(folder.options.dataDir, folder.options)) as { url: string }
  const began = performance.now()
  const options = { url: url.replace(/fanwise$/, 'postgres'), folder: folder.dir }
  await assert.rejects(holdFolder({ ...options, onLost: () => undefined }), {
    owner: { pid: live.pid, port: 8123 }
  })
  assert.ok(performance.now() - began < 2500)
})

test('nobody owns a folder that no server runs on', async () => {
  await using folder = await testFolder()
  const { dataDir, systemDir } = folder.options
  assert.equal(await findFolderOwner(dataDir, systemDir), undefined)
  const server = await startBundledPostgres(folder.options)
  await server.stop()
  assert.equal(await findFolderOwner(dataDir, systemDir), undefined)
})
