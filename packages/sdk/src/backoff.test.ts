import assert from 'node:assert/strict'
import test from 'node:test'
import { backoffMs, pause } from './backoff.ts'

test('pauses grow, with chance in them, up to a bound', () => {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const ceiling = Math.min(100 * 2 ** attempt, 5000)
    const ms = backoffMs(attempt, null)
    assert.ok(ms >= ceiling / 2 && ms <= ceiling, `${attempt}: ${ms}`)
  }
})

test('Retry-After is honoured in both forms, within a minute; nonsense is not', t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-31T09:30:00Z') })
  assert.equal(backoffMs(0, '7'), 7000)
  assert.equal(backoffMs(0, 'Sat, 31 Jan 2026 09:30:09 GMT'), 9000)
  assert.equal(backoffMs(0, '86400'), 60_000)
  for (const text of ['', '-5', 'soon', 'Sat, 31 Jan 2026 09:00:00 GMT'])
    assert.ok(backoffMs(0, text) <= 100, text)
})

test('a pause ends at once when its signal aborts, before or within', async () => {
  await assert.rejects(pause(60_000, AbortSignal.abort(new Error('before'))), /before/)
  const stop = new AbortController()
  const within = pause(60_000, stop.signal)
  stop.abort(new Error('within'))
  await assert.rejects(within, /within/)
})
