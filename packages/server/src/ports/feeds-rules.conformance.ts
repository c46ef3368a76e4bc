import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_RULES, PULLED_NOW, type Rules } from '../domain/rules.ts'
import { type FeedsUnderTest, leaseOf, type Make } from './feeds-fixtures.conformance.ts'

export function describeRules<T extends FeedsUnderTest>(setUp: Make<T>): void {
  test('rules come back as they were filled', async t => {
    const { feeds, ago } = await setUp(t)
    const rules: Rules = {
      blocks: new Set([1, 2 ** 40]),
      mutes: new Set([3]),
      cuts: new Set([4, 5]),
      hides: new Set([ago(1)]),
      pulled: new Map([
        [6, PULLED_NOW],
        [7, ago(9)]
      ])
    }
    await feeds.fillRules(1, await leaseOf(feeds, 1), rules)
    await feeds.fillRules(2, await leaseOf(feeds, 2), NO_RULES)
    assert.deepEqual(await feeds.rules(1), { rules })
    assert.deepEqual(await feeds.rules(2), { rules: NO_RULES })
  })

  test('one loader holds the lease', async t => {
    const { feeds } = await setUp(t)
    const lease = await leaseOf(feeds, 1)
    assert.deepEqual(await feeds.rules(1), { lease: null })
    assert.notEqual(await leaseOf(feeds, 2), lease)
  })

  test('dropping voids rules and leases', async t => {
    const { feeds } = await setUp(t)
    const stale = await leaseOf(feeds, 1)
    await feeds.dropRules([1, 99])
    await feeds.fillRules(1, stale, NO_RULES)
    const lease = await leaseOf(feeds, 1)
    await feeds.fillRules(1, stale, NO_RULES)
    assert.deepEqual(await feeds.rules(1), { lease: null })
    await feeds.fillRules(1, lease, NO_RULES)
    await feeds.fillRules(1, lease, { ...NO_RULES, mutes: new Set([1]) })
    assert.deepEqual(await feeds.rules(1), { rules: NO_RULES })
    await feeds.dropRules([1])
    await leaseOf(feeds, 1)
  })
}
