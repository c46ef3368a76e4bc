import assert from 'node:assert/strict'
import test from 'node:test'
import { PULLED_NOW } from '../domain/rules.ts'
import type { Delivery } from '../domain/user.ts'
import type { DeliveryState, Store } from './store.ts'
import { ascending, flush, type MakeStore, people } from './store-fixtures.conformance.ts'

const UNTIL = '3600000000000000000'

async function stateOf(store: Store, author: number): Promise<DeliveryState> {
  return (await store.deliveryOf([author]))[0]!
}

async function pulledOf(store: Store, reader: number): Promise<[number, string][]> {
  return [...(await store.rules(reader)).pulled]
}

export function deliveryConformance(name: string, make: MakeStore): void {
  test(`${name}: only one of several switches wins`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const first = await stateOf(store, ann)
    assert.equal(first.delivery, 'push')
    const to: Delivery[] = ['both', 'pull', 'both', 'pull', 'both']
    const wins = await Promise.all(to.map(next => store.switchDelivery(first, next)))
    assert.equal(wins.filter(Boolean).length, 1)
    const second = await stateOf(store, ann)
    assert.equal(second.delivery, to[wins.indexOf(true)])
    assert.notEqual(second.version, first.version)
    assert.equal(await store.switchDelivery(second, 'push', UNTIL), true)
    assert.equal(await store.switchDelivery(first, 'both'), false)
    assert.equal((await stateOf(store, ann)).delivery, 'push')
    assert.deepEqual(await store.deliveryOf([999_999]), [])
  })

  test(`${name}: the rules name followees in both and pull, and those pulled until an id`, async t => {
    await using store = await make(t)
    const [ann, bob, cid] = await people(store, 'ann', 'bob', 'cid')
    await store.followMany([
      { reader: ann, author: bob },
      { reader: ann, author: cid }
    ])
    assert.deepEqual(await pulledOf(store, ann), [])
    const steps: [Delivery, string | undefined, string][] = [
      ['both', undefined, PULLED_NOW],
      ['pull', undefined, PULLED_NOW],
      ['push', UNTIL, UNTIL],
      ['both', undefined, PULLED_NOW],
      ['push', '3500000000000000000', UNTIL],
      ['both', undefined, PULLED_NOW],
      ['push', '3700000000000000001', '3700000000000000001']
    ]
    for (const [to, until, pulled] of steps) {
      assert.equal(await store.switchDelivery(await stateOf(store, bob), to, until), true)
      assert.deepEqual(await pulledOf(store, ann), [[bob, pulled]])
    }
    await store.unfollow(ann, bob)
    assert.deepEqual(await pulledOf(store, ann), [])
  })

  test(`${name}: authors cross the threshold by their displayed followers`, async t => {
    await using store = await make(t)
    const [star, small, ...fans] = await people(store, 'star', 'small', ...'abcdef')
    await store.followMany(fans.map(reader => ({ reader: reader!, author: star })))
    await store.followMany([{ reader: star, author: small }])
    assert.deepEqual(await store.deliveryCrossings(5, 4, 10), [])
    await flush(store)
    assert.deepEqual(await store.deliveryCrossings(7, 4, 10), [])
    assert.deepEqual(await store.deliveryCrossings(6, 4, 10), [await stateOf(store, star)])
    await store.switchDelivery(await stateOf(store, star), 'both')
    assert.deepEqual(await store.deliveryCrossings(6, 4, 10), [])
    assert.deepEqual(await store.inBoth(10), [await stateOf(store, star)])
    assert.deepEqual(await store.deliveryCrossings(9, 7, 10), [await stateOf(store, star)])
    await store.switchDelivery(await stateOf(store, star), 'pull')
    assert.deepEqual(await store.inBoth(10), [])
    assert.deepEqual(await store.deliveryCrossings(9, 6, 10), [])
    for (const fan of fans.slice(0, 3)) await store.unfollow(fan!, star)
    await flush(store)
    assert.deepEqual(await store.deliveryCrossings(6, 4, 10), [await stateOf(store, star)])
    await store.switchDelivery(await stateOf(store, small), 'pull')
    const crossed = await store.deliveryCrossings(6, 4, 10)
    assert.deepEqual(ascending(crossed.map(({ author }) => author)), ascending([star, small]))
    assert.equal((await store.deliveryCrossings(6, 4, 1)).length, 1)
    assert.equal((await store.deliveryOf([star, small, 999_999])).length, 2)
  })
}
