import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import test from 'node:test'
import { FanwiseAdmin } from '@fanwise/sdk'
import { SECRET, startServer } from '../../../testkit/server.ts'
import { advise, plainText } from './advise.ts'
import { readConfig } from './config.ts'
import { readSecrets } from './secrets.ts'

const told = (error: unknown, flags = {}) => plainText(advise(error, readConfig(flags, {})))

const failed = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('did not fail'),
    (error: unknown) => error
  )

test('a server that is not there, or takes another key, is told with the setting', async t => {
  const server = await startServer(t)
  const ask = (url: string, serverKey: string) =>
    failed(new FanwiseAdmin({ url, serverKey, retries: 0 }).users({ limit: 1 }))
  assert.match(told(await ask(server.url, 'x'.repeat(40))), /FANWISE_SERVER_KEY \(--server-key\)/)
  assert.match(told(await ask('http://127.0.0.1:1', SECRET)), /127.0.0.1:1 .*--url/)
  const missing = await failed(server.admin.as('nobody').getUser('no-one'))
  assert.equal(advise(missing, readConfig({}, {})), missing)
})

test('a data folder that cannot be made is told with the setting', async () => {
  const dataDir = '/dev/null/data'
  const error = await failed(readSecrets(readConfig({ dataDir }, {})))
  assert.match(told(error, { dataDir }), /^FANWISE_DATA_DIR: \/dev\/null.* no folder.*--data-dir/)
})

test('other files are named without the words of the system', async () => {
  const error = await failed(readFile('/no/such.csv'))
  assert.equal(told(error), '/no/such.csv: there is no such file or folder')
})
