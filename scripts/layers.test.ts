// The architecture as a table: what each folder may import, and nothing else. Read it top-down.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import test from 'node:test'

const stage = ['domain', 'ports', 'ranking', 'rebuild', 'lib']
const adapter = ['domain', 'ports', 'lib', 'node:*']

const may: Record<string, readonly string[]> = {
  'server/domain': ['node:crypto'],
  'server/lib': ['node:*'],
  'server/ports': ['domain'],
  'server/ranking': ['domain'],
  'server/rebuild': ['domain', 'ports', 'lib'], // fills feeds from the Store for any stage that asks
  'server/publish': stage,
  'server/relay': stage,
  'server/fanout': stage,
  'server/page': [...stage, 'lru-cache'],
  'server/janitor': stage,
  'server/audit': ['domain', 'ports', 'lib', '@fanwise/sdk'], // compares pages with the Store, apart from what it checks
  'server/service': [...stage, 'publish', 'page', 'audit', 'node:crypto', '@fanwise/sdk'],
  'server/adapters/memory': adapter,
  'server/adapters/system': adapter,
  'server/adapters/postgres': [...adapter, 'pg'],
  'server/adapters/kafka': [...adapter, '@platformatic/kafka'],
  'server/adapters/redis': [...adapter, 'redis'],
  'server/adapters/telemetry': [...adapter, 'pino', 'prom-client', '@opentelemetry/api'],
  'server/http': [
    ...['domain', 'lib', 'ports', 'node:*', '@fanwise/sdk'],
    ...['fastify', '@fastify/*', 'typebox', 'typebox/*', 'jose', 'rate-limiter-flexible']
  ],
  'server/cli': [
    'domain',
    'lib',
    'node:*',
    'commander',
    'csv-parse',
    'csv-parse/*',
    '@fanwise/sdk'
  ],
  'server/.': ['*'], // main, config, app, feed, index: the only place where everything meets
  'sdk/.': [],
  'console/.': ['@fanwise/sdk', 'preact']
}

/** The folder of a file as the table names it: 'server/adapters/redis', 'sdk/.', or undefined outside packages/. */
function home(file: string): string | undefined {
  const [, pack, inside] = /^packages\/([^/]+)\/src\/(.*)$/.exec(file) ?? []
  if (pack === undefined || inside === undefined) return undefined
  const folders = inside.split('/').slice(0, -1)
  const depth = folders[0] === 'adapters' ? 2 : 1
  return `${pack}/${folders.slice(0, depth).join('/') || '.'}`
}

/** What a text imports, re-exports, imports dynamically or requires; the formatter keeps these in one shape. */
function imports(text: string): string[] {
  const statement =
    /^(?:import|export)\s[^'"=(]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\b(?:import|require)\(\s*'([^']+)'/gm
  return [...text.matchAll(statement)].map(([, from, bare, dynamic]) => (from ?? bare ?? dynamic)!)
}

/** A rule is a folder of the same package, a package's name, or the beginning of names: 'node:*'. */
function allowed(from: string, file: string, specifier: string): boolean {
  const rules = may[from] ?? []
  if (rules.includes('*')) return true
  if (!specifier.startsWith('.')) {
    return rules.some(rule =>
      rule.endsWith('*') ? specifier.startsWith(rule.slice(0, -1)) : specifier === rule
    )
  }
  const to = home(path.posix.join(path.posix.dirname(file), specifier))
  const [pack] = from.split('/')
  return to !== undefined && (to === from || rules.some(rule => to === `${pack}/${rule}`))
}

/** The complaints about one file. */
function broken(file: string, text: string): string[] {
  const from = home(file)
  if (from === undefined || may[from] === undefined) {
    return [`${file}: its folder is not in the table of scripts/layers.test.ts`]
  }
  return imports(text)
    .filter(to => !allowed(from, file, to))
    .map(to => `${file} may not import ${to}`)
}

test('every import follows the table', () => {
  const files = globSync('packages/*/src/**/*.ts', { exclude: ['**/*.{test,conformance}.ts'] })
  assert.ok(files.length > 0, 'no file was read')
  const complaints = files.flatMap(file =>
    broken(file.replaceAll(path.sep, '/'), readFileSync(file, 'utf8'))
  )
  assert.deepEqual(complaints, [])
})

const page = 'packages/server/src/page/page.ts'

test('what the table allows passes', () => {
  const text = [
    "import { hydrate } from './hydrate.ts'",
    "import type { Feeds } from '../ports/feeds.ts'",
    "import {\n  type Page,\n  limits\n} from '../domain/limits.ts'",
    "import { LRUCache } from 'lru-cache'",
    "export const where = 'from'"
  ].join('\n')
  assert.equal(imports(text).length, 4)
  assert.deepEqual(broken(page, text), [])
  assert.deepEqual(broken('packages/server/src/lib/a.ts', "import fs from 'node:fs'"), [])
  assert.deepEqual(
    broken('packages/server/src/cli/a.ts', "import { parse } from 'csv-parse/sync'"),
    []
  )
  assert.deepEqual(broken('packages/server/src/main.ts', "import pg from 'pg'"), [])
})

const forbidden = [
  "import { relayOnce } from '../relay/relay.ts'",
  "import { type Pool } from '../adapters/postgres/pool.ts'",
  "import {\n  app\n} from '../app.ts'",
  "import fs from 'node:fs'",
  "import 'pg'",
  "export { Client } from 'pg'",
  "export * from '../fanout/policy.ts'",
  "const redis = await import('redis')",
  "const redis = require('redis')",
  "type Client = import('pg').Client",
  "import { api } from '../../../sdk/src/api.ts'",
  "import { start } from '../../../../testkit/postgres.ts'"
]

for (const line of forbidden) {
  test(`a stage may not: ${line.replaceAll('\n', ' ')}`, () => {
    assert.equal(broken(page, line).length, 1)
  })
}

test('a folder outside the table is refused', () => {
  assert.equal(broken('packages/server/src/utils/a.ts', '').length, 1)
})
