import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import test from 'node:test'

const ROOT = path.resolve(import.meta.dirname, '..')
const INVARIANTS = readFileSync(path.join(ROOT, 'docs/invariants.md'), 'utf8')

test('every invariant names a test, and every test that is named exists', () => {
  const sections = INVARIANTS.split(/^\*\*I(?=\d)/m).slice(1)
  assert.equal(sections.length, 10)
  for (const section of sections) {
    const named = [...section.matchAll(/^- `([^`]+)`: "([^"]+)"$/gm)]
    assert.notEqual(named.length, 0, section)
    for (const [, file = '', name = ''] of named)
      assert.ok(readFileSync(path.join(ROOT, file), 'utf8').includes(name), `${file}: ${name}`)
  }
})

test('no link within the documents leads nowhere', () => {
  const documents = globSync(['*.md', 'docs/*.md', 'packages/*/*.md'], { cwd: ROOT })
  const links = documents.flatMap(document => {
    const text = readFileSync(path.join(ROOT, document), 'utf8')
    const found = text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)
    return [...found].map(([, target = '']) => ({ document, target }))
  })
  const local = links.filter(({ target }) => !/^[a-z]+:/.test(target))
  assert.notEqual(local.length, 0)
  const broken = local.filter(
    ({ document, target }) => !existsSync(path.join(ROOT, path.dirname(document), target))
  )
  assert.deepEqual(broken, [])
})
