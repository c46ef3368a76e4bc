// Writes docs/config.md from the table of settings.
import { writeFileSync } from 'node:fs'
import { configDoc } from '../packages/server/src/config-doc.ts'

writeFileSync(new URL('../docs/config.md', import.meta.url), configDoc())
