import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { startTime } from '../packages/server/src/adapters/postgres/bundled/process-identity.ts'
import { waitUntil } from '../scripts/services/wait-until.ts'

const owner = `
import { testFolder } from ${JSON.stringify(import.meta.resolve('./postgres-folder.ts'))}
import { startBundledPostgres } from ${JSON.stringify(
  import.meta.resolve('../packages/server/src/adapters/postgres/bundled/index.ts')
)}
const folder = await testFolder()
const { pid } = await startBundledPostgres(folder.options)
process.stdout.write(JSON.stringify({ pid, dir: folder.dir }))
process.kill(process.pid, 'SIGKILL')`

test('a PostgreSQL of a killed test process ends with it, and its folder goes', {
  skip: process.platform === 'win32' && 'needs a shell'
}, async () => {
  const args = [...process.execArgv, '--input-type=module', '-e', owner]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const { pid, dir } = JSON.parse(said) as { pid: number; dir: string }
  const gone = () => startTime(pid) === undefined && !existsSync(dir)
  assert.ok(await waitUntil(gone, 30_000), `${pid} runs, or ${dir} is there`)
})
