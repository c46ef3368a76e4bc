// What a terminal does to a server: it closes, it is piped into a program that ends, it interrupts a start.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import test, { type TestContext } from 'node:test'
import { findPostmaster } from '../packages/server/src/adapters/postgres/bundled/postmaster.ts'
import { waitUntil } from '../scripts/services/wait-until.ts'
import { type Place, runCli, spawnFanwise, startProcess, testPlace } from '../testkit/process.ts'

const postmaster = (place: Place) => findPostmaster(`${place.dataDir}/postgres/postgres/cluster`)

/** A process whose standard streams nobody reads any more. */
async function withClosedStreams(t: TestContext, place: Place) {
  const server = await startProcess(t, place, 'dev', '--no-demo')
  server.child.stdout?.destroy()
  server.child.stderr?.destroy()
  return server
}

test('a server outlives its terminal, answers, and stops cleanly by SIGHUP', async t => {
  const place = await testPlace(t, { FANWISE_LOG_LEVEL: 'debug' })
  const { child, url, admin } = await withClosedStreams(t, place)
  await (await admin()).batch({ posts: [{ author: 'a', content: 'x' }] })
  const ended = once(child, 'exit')
  child.kill('SIGHUP')
  // It says why it stops, to nobody, and goes on with stopping.
  assert.deepEqual(await ended, [0, null])
  await assert.rejects(fetch(url))
  assert.equal(await postmaster(place), undefined)
})

test('a start that is interrupted leaves no PostgreSQL behind', async t => {
  const place = await testPlace(t)
  const child = spawnFanwise(place, 'start')
  t.after(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  assert.ok(await waitUntil(async () => (await postmaster(place)) !== undefined, 60_000, 5))
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.equal(await postmaster(place), undefined)
})

test('a second start names the first; looking at migrations needs no stop', async t => {
  const place = await testPlace(t)
  const server = await startProcess(t, place)
  for (const port of [place.port, 0]) {
    const second = await runCli(place, 'start', '--port', String(port))
    assert.equal(second.code, 1)
    const owner = `in use by the Fanwise server with pid ${server.child.pid} \\(port ${place.port}\\)`
    assert.match(second.stderr, new RegExp(owner))
  }
  const migrations = await runCli(place, 'migrate', '--dry-run')
  assert.deepEqual([migrations.code, migrations.stdout], [0, 'the schema is up to date\n'])
  const changes = await runCli(place, 'migrate')
  assert.match(changes.stderr, /in use by the Fanwise server/)
  assert.match(
    (await runCli(place, 'doctor')).stdout,
    new RegExp(`data: in ${place.dataDir}/postgres`)
  )
  for (const command of ['verify', 'rebuild']) {
    const unknown = await runCli(place, command, '--reader', 'zzz')
    assert.equal(
      unknown.stderr,
      'fanwise: There is no user "zzz" whose feed this could be about.\n'
    )
  }
  const wrong = path.join(place.folder, 'wrong.csv')
  await writeFile(wrong, 'follower,followee\na,a\n')
  const nothing = await runCli(place, 'import', wrong)
  assert.equal(nothing.code, 1)
  assert.match(nothing.stdout, /line 2: "a" cannot follow itself/)
  await server.stop()
})
