import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import test from 'node:test'
import { testFolder } from '../../../testkit/postgres-folder.ts'
import { advise, plainText } from './advise.ts'
import { checkPort } from './check-port.ts'
import { readConfig } from './config.ts'

test('a port in use is told by its setting before anything is made; a free one passes', async () => {
  await using folder = await testFolder()
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const { dataDir } = folder.options
  const config = readConfig({ port: String(port), dataDir }, {})
  const error = await checkPort(config).catch(error => error)
  assert.match(plainText(advise(error, config)), new RegExp(`Port ${port} .*--port .*FANWISE_PORT`))
  other.close()
  await once(other, 'close')
  await checkPort(config)
  await checkPort(readConfig({ port: '0', dataDir }, {}))
})
