import assert from 'node:assert/strict'
import test from 'node:test'
import { END, timeOf } from '../domain/post-id.ts'
import {
  countsOf,
  eventsOf,
  flush,
  importIds,
  type MakeStore,
  made,
  people,
  publish,
  refuses
} from './store-fixtures.conformance.ts'

const THEN = 1_600_000_000_000

export function importConformance(name: string, make: MakeStore): void {
  test(`${name}: imported posts keep their time and order`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const times = [THEN + 5, THEN, 476_837_158_204, THEN + 7]
    const ids = await importIds(
      store,
      times.map((ms, at) => made(at % 2 ? bob : ann, ms))
    )
    assert.deepEqual(ids.map(timeOf), times)
    const [now] = await importIds(store, [made(ann, null)])
    const next = await publish(store, ann)
    assert.ok(Math.abs(timeOf(now!) - timeOf(next)) < 60_000)
    await flush(store)
    assert.equal((await countsOf(store, ann))?.posts, 4)
  })

  test(`${name}: posts of one ms have distinct ids`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const batch = Array.from({ length: 300 }, (_, at) => made(ann, THEN, `e${at}`))
    const ids = await importIds(store, batch)
    assert.equal(new Set(ids).size, 300)
    for (const id of ids) assert.ok(timeOf(id) >= THEN && timeOf(id) < THEN + 300)
    assert.equal((await store.idsByAuthor(ann, END, '0', 1000)).length, 300)
  })

  test(`${name}: more posts in one ms than it has ids take the next ms`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const batch = Array.from({ length: 2100 }, () => made(ann, THEN))
    const ids = [...(await importIds(store, batch)), ...(await importIds(store, batch))]
    assert.equal(new Set(ids).size, 4200)
    for (const id of ids) assert.ok(timeOf(id) >= THEN && timeOf(id) <= THEN + 2)
  })

  test(`${name}: the same external id of an author is imported once`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const batch = [
      made(ann, THEN, 'x'),
      made(bob, THEN, 'x'),
      made(ann, THEN + 9, 'x'),
      made(ann, THEN)
    ]
    const first = await store.importPosts(batch)
    assert.deepEqual(
      first.map(result => result.created),
      [true, true, false, true]
    )
    assert.equal(first[2]?.id, first[0]?.id)
    const events = await eventsOf(store, async () => {
      const second = await store.importPosts(batch.slice(0, 3))
      assert.deepEqual(
        second.map(({ id }) => id),
        first.slice(0, 3).map(({ id }) => id)
      )
      assert.ok(second.every(({ created }) => !created))
    })
    assert.deepEqual(events, [])
    await store.deletePost(ann, first[0]!.id)
    assert.deepEqual(await store.importPosts([batch[0]!]), [{ id: first[0]?.id, created: false }])
    const wanted = [
      { author: bob, externalId: 'x' },
      { author: ann, externalId: 'none' },
      { author: ann, externalId: 'x' }
    ]
    const found = await store.postsByExternalIds(wanted)
    assert.deepEqual(found, [first[1]?.id, null, first[0]?.id])
  })

  test(`${name}: imports of the same posts at the same time make each once`, async t => {
    await using store = await make(t)
    const authors = await people(store, 'ann', 'bob', 'cid')
    const batch = Array.from({ length: 60 }, (_, at) => made(authors[at % 3]!, THEN, `e${at}`))
    const orders = [batch, batch.toReversed(), batch, batch.toReversed()]
    const events = await eventsOf(store, async () => {
      const results = await Promise.all(orders.map(posts => store.importPosts(posts)))
      assert.equal(results.flat().filter(({ created }) => created).length, 60)
      const ids = results.map((result, at) =>
        (at % 2 === 0 ? result : result.toReversed()).map(({ id }) => id)
      )
      for (const list of ids) assert.deepEqual(list, ids[0])
    })
    assert.equal(events.length, 60)
    await flush(store)
    for (const author of authors) assert.equal((await countsOf(store, author))?.posts, 20)
  })

  test(`${name}: times out of range are refused, and nothing of their batch is written`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const now = timeOf(await publish(store, ann))
    for (const ms of [now + 120_000, 473_000_000_000, -1, Number.NaN]) {
      const batch = [made(ann, THEN), made(ann, ms)]
      await refuses(store.importPosts(batch), 'time_out_of_range')
    }
    const message = store.importPosts([made(ann, 473_000_000_000)])
    await assert.rejects(message, /1984-12-27.* is before 1985-02-09T22:45:58\.204Z/)
    assert.equal((await store.idsByAuthor(ann, END, '0', 10)).length, 1)
    const [ahead] = await importIds(store, [made(ann, now + 2000)])
    assert.equal(timeOf(ahead!), now + 2000)
    await publish(store, ann)
    await refuses(store.importPosts([made(999_999, THEN)]), 'user_not_found')
    assert.deepEqual(await store.importPosts([]), [])
  })
}
