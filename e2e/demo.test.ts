import assert from 'node:assert/strict'
import { once } from 'node:events'
import path from 'node:path'
import test from 'node:test'
import { findPostmaster } from '../packages/server/src/adapters/postgres/bundled/postmaster.ts'
import { DEMO } from '../packages/server/src/demo.ts'
import {
  type Place,
  type RunningServer,
  runCli,
  startProcess,
  testPlace
} from '../testkit/process.ts'

/** Resolves when the server has printed `text`; its output wakes this, so a server that says nothing more hangs. */
async function said(server: RunningServer, text: string): Promise<void> {
  while (!server.output().includes(text)) {
    const { stdout } = server.child
    assert.ok(stdout)
    await once(stdout, 'data')
  }
}

async function postgresOf(place: Place) {
  return findPostmaster(path.join(place.dataDir, 'postgres/postgres/cluster'))
}

test('Ctrl-C while the demo is loaded stops at once; the next start completes it, a kill included', async t => {
  const place = await testPlace(t)
  const first = await startProcess(t, place, 'dev')
  await said(first, ' %')
  const began = performance.now()
  const ended = once(first.child, 'exit')
  first.child.kill('SIGINT')
  assert.deepEqual(await ended, [0, null], first.output())
  assert.ok(performance.now() - began < 10_000)
  assert.equal(await postgresOf(place), undefined)

  const second = await startProcess(t, place, 'dev')
  await said(second, 'Loading a demo')
  await second.kill()
  const third = await startProcess(t, place, 'dev')
  await said(third, 'The demo is loaded')
  const { users, posts } = await (await third.admin()).stats()
  assert.deepEqual([users, posts], [DEMO.users, DEMO.posts])
  await third.stop()
})

test('a demo that fails ends the server with code 1 and leaves no database running', async t => {
  const place = await testPlace(t)
  const cut = await startProcess(t, place, 'dev')
  await said(cut, ' %')
  const admin = await cut.admin()
  const [, second] = (await admin.users({ limit: 2 })).items
  await admin.as(second?.id ?? '').deleteMe()
  await cut.kill()
  const { code, stderr } = await runCli(place, 'dev')
  assert.equal(code, 1, stderr)
  assert.match(stderr, /account was deleted/)
  assert.equal(await postgresOf(place), undefined)
})

test('verify ends with code 1 where events wait for a fan-out that is not there', async t => {
  const place = await testPlace(t, { FANWISE_ROLES: 'api,janitor' })
  const server = await startProcess(t, place)
  await (await server.admin()).as('ann').createPost({ content: 'hi' })
  const { code, stdout } = await runCli(place, 'verify', '--all')
  assert.equal(code, 1)
  assert.match(stdout, /1 events were not worked off in time/)
  assert.match(stdout, /0 differences/)
  await server.stop()
})
