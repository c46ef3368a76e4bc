// node --conditions=source scripts/openapi.ts: writes docs/openapi.json from the routes; a test compares both.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { buildOpenapi } from '../packages/server/src/http/openapi.ts'

const file = path.join(path.dirname(import.meta.dirname), 'docs/openapi.json')
writeFileSync(file, `${JSON.stringify(await buildOpenapi(), null, 2)}\n`)
