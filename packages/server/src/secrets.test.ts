import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test, { type TestContext } from 'node:test'
import { readConfig } from './config.ts'
import { readSecrets } from './secrets.ts'

async function folder(t: TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'fanwise-secrets-'))
  t.after(() => rm(dir, { recursive: true }))
  return dir
}

test('the first start in development makes secrets that stay and that only the owner reads', async t => {
  const config = readConfig({ dataDir: path.join(await folder(t), 'data') }, {})
  const [first, second] = await Promise.all([readSecrets(config), readSecrets(config)])
  assert.deepEqual(first, second)
  assert.deepEqual(await readSecrets(config), first)
  assert.ok(first.secret.length >= 32)
  assert.notEqual(first.secret, first.serverKey)
  assert.equal((await stat(first.file ?? '')).mode & 0o777, 0o600)
})

test('production needs a secret, and long ones', async t => {
  const dataDir = await folder(t)
  await assert.rejects(
    readSecrets(readConfig({ dataDir, env: 'production' }, {})),
    /FANWISE_SECRET: needed/
  )
  const secret = 'x'.repeat(31)
  await assert.rejects(
    readSecrets(readConfig({ dataDir, env: 'production', secret }, {})),
    (error: Error) => /31 characters/.test(error.message) && !error.message.includes(secret)
  )
  const serverKey = 'a key with spaces does not fit a header'
  await assert.rejects(
    readSecrets(readConfig({ dataDir, serverKey }, {})),
    /FANWISE_SERVER_KEY: only/
  )
  const given = readConfig({ dataDir, env: 'production', secret: 'x'.repeat(32) }, {})
  assert.deepEqual(await readSecrets(given), { secret: 'x'.repeat(32), serverKey: '', file: null })
})
