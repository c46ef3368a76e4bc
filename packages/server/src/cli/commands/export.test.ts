import assert from 'node:assert/strict'
import { createWriteStream, existsSync } from 'node:fs'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { startServer, type TestServer } from '../../../../../testkit/server.ts'
import type { Connection } from '../runtime.ts'
import { writeExport } from './export.ts'

function connected({ admin, url }: TestServer): Connection {
  const as = (user: string) => admin.as(user)
  return { admin, as, url, folder: '.', [Symbol.asyncDispose]: async () => {} }
}

test('an export is what an import reads, and tells how many lines it has', async t => {
  const server = await startServer(t)
  await server.admin.batch({
    users: [{ id: 'b', visibility: 'private' }],
    follows: [{ follower: 'a', followee: 'b' }],
    posts: [{ author: 'a', content: 'hi', externalId: '1' }]
  })
  // A request is left out: an import would make it a follow.
  await server.admin.as('c').follow('b')
  const file = new PassThrough()
  const [lines, all] = await Promise.all([
    writeExport(file, connected(server), () => {}),
    text(file)
  ])
  const records = all
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { kind: string; id?: string; visibility?: string })
  assert.deepEqual(
    records.map(({ kind }) => kind),
    ['user', 'user', 'user', 'follow', 'post']
  )
  assert.equal(records.find(({ id }) => id === 'b')?.visibility, 'private')
  assert.equal(lines, 5)
})

test('a file that cannot be written ends an export with its error', async t => {
  const server = await startServer(t)
  await server.admin.batch({ users: [{ id: 'a' }] })
  const nowhere = createWriteStream(path.join(import.meta.dirname, 'no such folder', 'x.ndjson'))
  await assert.rejects(
    writeExport(nowhere, connected(server), () => {}),
    { code: 'ENOENT' }
  )
  if (!existsSync('/dev/full')) return t.diagnostic('no /dev/full here')
  const full = createWriteStream('/dev/full')
  await assert.rejects(
    writeExport(full, connected(server), () => {}),
    { code: 'ENOSPC' }
  )
})
