import assert from 'node:assert/strict'
import test from 'node:test'
import { telemetryConformance } from '../../ports/telemetry.conformance.ts'
import { createSilentTelemetry } from './telemetry.ts'

telemetryConformance('silent telemetry', () => {
  const telemetry = createSilentTelemetry()
  return {
    telemetry,
    logged: () => telemetry.logged.map(({ message }) => message),
    total: async (name, labels) => telemetry.total(name, labels),
    value: async (name, labels) => telemetry.valueOf(name, labels),
    observed: async (name, labels) => telemetry.observed(name, labels)
  }
})

test('a total without labels is over all labels', () => {
  const telemetry = createSilentTelemetry()
  telemetry.count('switches', 1, { to: 'pull', by: 'x' })
  telemetry.count('switches', 2, { to: 'push' })
  assert.equal(telemetry.total('switches'), 3)
  assert.equal(telemetry.total('switches', { to: 'pull' }), 1)
  assert.equal(telemetry.total('other'), 0)
})

test('it keeps the newest lines only', () => {
  const telemetry = createSilentTelemetry()
  for (let i = 0; i <= 1000; i++) telemetry.log('info', String(i))
  assert.equal(telemetry.logged.length, 1000)
  assert.equal(telemetry.logged[0]?.message, '1')
})
