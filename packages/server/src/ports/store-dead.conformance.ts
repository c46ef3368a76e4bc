import assert from 'node:assert/strict'
import test from 'node:test'
import { LANES, laneOfAuthor } from '../domain/post-id.ts'
import type { Lanes, Store } from './store.ts'
import { drain, type MakeStore, people, publish } from './store-fixtures.conformance.ts'

/** Publishes posts of one author and gives up those at the places named. */
async function giveUp(
  store: Store,
  lanes: Lanes,
  author: number,
  count: number,
  ...places: number[]
) {
  for (let at = 0; at < count; at++) await publish(store, author)
  while ((await lanes.claim()).length < LANES);
  const rows = await lanes.unpublished([laneOfAuthor(author)], count)
  for (const place of places) await store.bury(rows[place]!, `failure ${place}`)
  return rows
}

/** Events that were given up: found, published once more, or forgotten. */
export function deadConformance(name: string, make: MakeStore): void {
  test(`${name}: events that were set aside are listed in pages, with why and when`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    await using lanes = await store.openLanes()
    assert.deepEqual(await store.deadEvents('0', 10), [])
    const rows = await giveUp(store, lanes, ann, 4, 3, 0, 2)
    const dead = await store.deadEvents('0', 10)
    assert.deepEqual(
      dead.map(({ diedAt: _, ...event }) => event),
      [0, 2, 3].map(at => ({ ...rows[at], attempts: 1, reason: `failure ${at}` }))
    )
    assert.ok(dead.every(({ diedAt }) => Number.isSafeInteger(diedAt) && diedAt > 0))
    assert.deepEqual(await store.deadEvents('0', 2), dead.slice(0, 2))
    assert.deepEqual(await store.deadEvents(dead[1]!.id, 2), dead.slice(2))
    assert.deepEqual(await store.deadEvents(dead[2]!.id, 2), [])
  })

  test(`${name}: one that is retried comes once more, behind the others of its lane`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    await using lanes = await store.openLanes()
    const [bad, good] = await giveUp(store, lanes, ann, 2, 0)
    let heard = 0
    store.onOutbox(() => heard++)
    assert.equal(await store.retryDead(bad!.id), true)
    assert.equal(heard, 1, 'relays are woken')
    assert.equal(await store.retryDead(bad!.id), false, 'it is dead no longer')
    assert.deepEqual(await store.deadEvents('0', 10), [])
    assert.equal(await store.outboxPending(), 2)
    await lanes.markPublished([bad!.id])
    const [first, again] = await lanes.unpublished([laneOfAuthor(ann)], 10)
    assert.deepEqual(first, good)
    assert.deepEqual(again?.event, bad!.event, 'a late mark on its former row means nothing')
    assert.ok(BigInt(again!.id) > BigInt(good!.id))
    assert.equal((await drain(lanes)).length, 2)
  })

  test(`${name}: how often an event was given up is counted over its retries`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    await using lanes = await store.openLanes()
    await giveUp(store, lanes, ann, 1, 0)
    for (const attempts of [1, 2, 3]) {
      const [dead] = await store.deadEvents('0', 10)
      assert.equal(dead?.attempts, attempts)
      await store.retryDead(dead.id)
      const [again] = await lanes.unpublished([laneOfAuthor(ann)], 10)
      await lanes.markPublished([again!.id])
      await store.bury(again!, 'again')
      await store.bury(again!, 'it is dead already')
    }
    const [dead] = await store.deadEvents('0', 10)
    assert.deepEqual([dead?.attempts, dead?.reason], [4, 'again'])
  })

  test(`${name}: one that is dropped is forgotten, and only what is dead can be`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    await using lanes = await store.openLanes()
    const [bad, good] = await giveUp(store, lanes, ann, 2, 0)
    for (const id of [good!.id, '9007199254740990'])
      assert.deepEqual([await store.dropDead(id), await store.retryDead(id)], [false, false])
    assert.equal(await store.dropDead(bad!.id), true)
    assert.equal(await store.dropDead(bad!.id), false)
    assert.deepEqual(await store.deadEvents('0', 10), [])
    await store.bury(bad!, 'it failed once more')
    assert.equal((await store.stats()).outboxDead, 0)
    assert.deepEqual(await drain(lanes), [good!.event])
  })
}
