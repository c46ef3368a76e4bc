// The launcher behind the npm scripts: node scripts/run.mjs <entry.ts> [arguments].
// Plain JavaScript that starts under Node 20.11: it installs what is missing and goes on under Node 24.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { findNode } from '../packages/server/bin/find-node.mjs'
import { runNode, sourceOptions } from '../packages/server/bin/run-node.mjs'
import { ensureInstalled } from './install.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const [entry, ...args] = process.argv.slice(2)

try {
  if (entry === undefined) throw new Error('Usage: node scripts/run.mjs <entry.ts> [arguments]')
  const development = !entry.startsWith('packages/')
  await ensureInstalled(root, { development })
  runNode(findNode(), [...sourceOptions, path.resolve(root, entry), ...args])
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
