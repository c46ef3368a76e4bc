import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test, { type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readLines } from './lines.ts'
import { readTable } from './table.ts'

async function file(t: TestContext, name: string, bytes: Uint8Array | string): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'fanwise-lines-'))
  t.after(() => rm(dir, { recursive: true }))
  await writeFile(path.join(dir, name), bytes)
  return path.join(dir, name)
}

test('a packed file is read as if it were not packed', async t => {
  const packed = await file(t, 'a.txt.gz', gzipSync('a b\nc d\n'))
  assert.deepEqual(await Array.fromAsync(readLines(packed)), ['a b', 'c d'])
})

test('a packed file that is none, or is cut short, is named', async t => {
  const whole = gzipSync('follower,followee\na,b\n'.repeat(1000))
  for (const bytes of ['follower,followee\na,b\n', whole.subarray(0, -20)]) {
    const broken = await file(t, 'a.csv.gz', bytes)
    const named = (error: Error) => error.message.startsWith(`${broken} can't be unpacked`)
    await assert.rejects(Array.fromAsync(readLines(broken)), named)
    await assert.rejects(Array.fromAsync(readTable(broken, { columns: new Map() })), named)
  }
})
