import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import test from 'node:test'
import { testFolder } from '../../../../../../testkit/postgres-folder.ts'
import { lockFolder } from './folder-lock.ts'
import { startTime } from './process-identity.ts'

test('a lock is held by one, and goes with it', async () => {
  await using folder = await testFolder()
  const file = path.join(folder.dir, 'lock')
  {
    await using lock = await lockFolder(file, 0)
    assert.ok(existsSync(lock.file))
    await assert.rejects(lockFolder(file, 0), { code: 'folder_in_use' })
  }
  assert.deepEqual(await readdir(folder.dir), [])
})

test('the lock of a dead process, or of one whose pid came again, is taken over', async () => {
  await using folder = await testFolder()
  const file = path.join(folder.dir, 'lock')
  for (const stale of ['999999999 1 a', `${process.pid} 1 b`, '', 'garbage']) {
    await writeFile(file, stale)
    await using lock = await lockFolder(file, 0)
    assert.equal(lock.file, file)
  }
  await writeFile(file, `${process.pid} ${startTime(process.pid)} c`)
  await assert.rejects(lockFolder(file, 0), { code: 'folder_in_use' })
})

test('of many that find a stale lock, one at a time has it', async () => {
  await using folder = await testFolder()
  const file = path.join(folder.dir, 'lock')
  await writeFile(file, '999999999 1 a')
  let inside = 0
  let turns = 0
  const turn = async () => {
    await using _lock = await lockFolder(file, 20_000)
    inside += 1
    assert.equal(inside, 1)
    await readdir(folder.dir)
    inside -= 1
    turns += 1
  }
  await Promise.all(Array.from({ length: 20 }, turn))
  assert.equal(turns, 20)
  assert.deepEqual(await readdir(folder.dir), [])
})
