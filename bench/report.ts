// node --conditions=source bench/report.ts: writes the tables of docs/performance.md from bench/results; a test compares.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fillIn } from './harness/report.ts'
import { readResults } from './harness/results.ts'

const page = path.resolve(import.meta.dirname, '../docs/performance.md')
writeFileSync(page, fillIn(readFileSync(page, 'utf8'), readResults()))
