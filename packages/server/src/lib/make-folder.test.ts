import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test, { type TestContext } from 'node:test'
import { makeFolder } from './make-folder.ts'

async function temporary(t: TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'fanwise-folder-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

test('a folder is made with its parents, also by many at once, and again', async t => {
  const folder = path.join(await temporary(t), 'a/b/c')
  await Promise.all(Array.from({ length: 8 }, () => makeFolder(folder)))
  await makeFolder(folder)
  assert.ok((await stat(folder)).isDirectory())
})

test('what is no folder, or lies below a file, is an error with its path', async t => {
  const file = path.join(await temporary(t), 'file')
  await writeFile(file, '')
  await assert.rejects(makeFolder(file), { code: 'ENOTDIR', path: file })
  await assert.rejects(makeFolder(path.join(file, 'a/b')), { code: 'ENOTDIR' })
})

test('where nothing can be made it ends with an error', {
  skip: process.platform !== 'linux' && 'needs /proc'
}, async () => {
  await assert.rejects(makeFolder('/proc/nope'), { code: 'ENOENT', path: '/proc/nope' })
  await assert.rejects(makeFolder('/proc/nope/more'), { code: 'ENOENT', path: '/proc/nope' })
})
