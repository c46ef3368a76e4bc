#!/usr/bin/env node
// Starts under Node 20 and goes on under Node 24: from the sources in a checkout, else from dist/.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findNode } from './find-node.mjs'
import { runNode, sourceOptions } from './run-node.mjs'

const source = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const built = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const program = existsSync(source) ? [...sourceOptions, source] : [built]

try {
  runNode(findNode(), [...program, ...process.argv.slice(2)])
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
