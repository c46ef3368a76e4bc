import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { readConfig } from './config.ts'
import { configDoc } from './config-doc.ts'
import { PRESETS } from './domain/limits.ts'

test('docs/config.md says what the table of settings says', () => {
  const committed = readFileSync(new URL('../../../docs/config.md', import.meta.url), 'utf8')
  assert.equal(committed, configDoc(), 'run node --conditions=source scripts/config-doc.ts')
})

test('without any setting the default preset applies', () => {
  const config = readConfig({}, {})
  assert.deepEqual(config.limits, PRESETS['activity-feed'])
  assert.equal(config.production, false)
  assert.deepEqual(config.roles, ['api', 'relay', 'fanout', 'janitor'])
})

test('flags go before the environment, that before the preset', () => {
  const environment = { FANWISE_CAP: '60', FANWISE_PRESET: 'enterprise', FANWISE_THRESHOLD: '7' }
  const { limits } = readConfig({ cap: '50' }, environment)
  assert.equal(limits.cap, 50)
  assert.equal(limits.threshold, 7)
  assert.equal(limits.delivery, 'push')
})

test('wrong values are all named with what is allowed; secrets are not repeated', () => {
  const environment = { FANWISE_PORT: '99999', FANWISE_ROLES: 'api,cook', FANWISE_CAP: '-1' }
  assert.throws(
    () => readConfig({}, environment),
    (error: Error) => {
      for (const part of ['FANWISE_PORT: "99999"', '0 to 65535', '"api,cook"', 'janitor', '"-1"'])
        assert.ok(error.message.includes(part), `${part} is missing in ${error.message}`)
      return true
    }
  )
})

test('addresses that are none are refused, and one that may hold a password is not repeated', () => {
  for (const databaseUrl of ['nonsense', 'mysql://u:hidden@h/d', 'postgres//u:hidden@h'])
    assert.throws(
      () => readConfig({ databaseUrl, url: 'localhost:4100' }, {}),
      (error: Error) =>
        /DATABASE_URL: the given value.*postgres:\/\/user/.test(error.message) &&
        /FANWISE_URL: "localhost:4100".*http:/.test(error.message) &&
        !error.message.includes('hidden')
    )
  const databaseUrl = 'postgresql://u:p@h:5432/d?sslmode=require'
  assert.equal(readConfig({ databaseUrl, url: 'https://h' }, {}).databaseUrl, databaseUrl)
  assert.equal(readConfig({}, { DATABASE_URL: '' }).databaseUrl, '')
})

test('NODE_ENV=production counts, FANWISE_ENV goes before it', () => {
  assert.equal(readConfig({}, { NODE_ENV: 'production' }).production, true)
  assert.equal(
    readConfig({}, { NODE_ENV: 'production', FANWISE_ENV: 'development' }).production,
    false
  )
  assert.equal(readConfig({}, { NODE_ENV: 'test' }).production, false)
})
