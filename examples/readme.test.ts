import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { startServer } from '../testkit/server.ts'

const README = path.resolve(import.meta.dirname, '../README.md')
const SOURCE = path.resolve(import.meta.dirname, 'first-feed.ts')

/** The fenced block below the mark `<!-- runs: examples/first-feed.ts -->`. */
async function codeOfReadme(): Promise<string> {
  const marked = /<!-- runs: examples\/first-feed\.ts -->\n+```ts\n(.*?)```/s
  const [, code] = marked.exec(await readFile(README, 'utf8')) ?? []
  assert.ok(code, 'README.md has no block with the mark')
  return code
}

test('the code of the README runs as it stands there', async t => {
  const copy = path.resolve(import.meta.dirname, `.readme-${process.pid}.ts`)
  t.after(() => rm(copy, { force: true }))
  await writeFile(copy, await codeOfReadme())
  const { firstFeed } = (await import(pathToFileURL(copy).href)) as typeof import('./first-feed.ts')
  const server = await startServer(t)
  assert.deepEqual(await firstFeed(server.url, server.serverKey), [
    'Ada: The engine weaves patterns. ♥'
  ])
})

test('the code of the README is the example that the type checker reads', async () => {
  assert.equal(await codeOfReadme(), await readFile(SOURCE, 'utf8'))
})
