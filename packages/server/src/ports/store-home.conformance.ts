import assert from 'node:assert/strict'
import test from 'node:test'
import { BEGINNING, END } from '../domain/post-id.ts'
import {
  descending,
  importIds,
  type MakeStore,
  made,
  people,
  publish
} from './store-fixtures.conformance.ts'

const THEN = 1_600_000_000_000

export function homeConformance(name: string, make: MakeStore): void {
  test(`${name}: home is the own posts and those of followees, newest first`, async t => {
    await using store = await make(t)
    const [ann, ...others] = await people(store, 'ann', 'bob', 'cid', 'dan', 'eve')
    const [bob, cid] = others
    await store.followMany([bob!, cid!].map(author => ({ reader: ann, author })))
    // Authors take very different shares, so that one of them fills whole pages.
    const posts = Array.from({ length: 120 }, (_, at) =>
      made([ann, bob!, bob!, bob!, cid!, ...others][at % 9]!, THEN + ((at * 7919) % 1000))
    )
    const ids = await importIds(store, posts)
    const expected = descending(
      ids.filter((_, at) => [ann, bob!, cid!].includes(posts[at]!.author))
    )
    for (const limit of [1, 7, 50, 500]) {
      const walked: string[] = []
      for (let below = END; ; below = walked.at(-1)!) {
        const page = await store.homeIds(ann, below, limit)
        assert.deepEqual(page, await store.oracle(ann, below, limit))
        walked.push(...page)
        if (page.length < limit) break
      }
      assert.deepEqual(walked, expected)
      const upward: string[] = []
      for (let above = BEGINNING; ; above = upward.at(-1)!) {
        const page = await store.newerHomeIds(ann, above, limit)
        upward.push(...page)
        if (page.length < limit) break
      }
      assert.deepEqual(upward, expected.toReversed())
    }
    assert.deepEqual(
      await store.homeIds(others[3]!, END, 500),
      descending(ids.filter((_, at) => posts[at]?.author === others[3]))
    )
  })

  test(`${name}: home leaves out tombstones and authors who are suspended or gone`, async t => {
    await using store = await make(t)
    const [ann, bob, cid, dan] = await people(store, 'ann', 'bob', 'cid', 'dan')
    await store.followMany([bob, cid, dan].map(author => ({ reader: ann, author })))
    const [a, b, c, d] = [
      await publish(store, ann),
      await publish(store, bob),
      await publish(store, cid),
      await publish(store, dan)
    ]
    await store.deletePost(dan, d)
    assert.deepEqual(await store.homeIds(ann, END, 10), descending([a, b, c]))
    await store.setStatus(bob, 'suspended')
    await store.setStatus(cid, 'gone')
    assert.deepEqual(await store.homeIds(ann, END, 10), [a])
    await store.setStatus(bob, 'active')
    await store.mute(ann, bob)
    assert.deepEqual(await store.homeIds(ann, END, 10), descending([a, b]))
    assert.deepEqual(await store.oracle(ann, END, 10), [a])
  })

  test(`${name}: what lists keep has posts of the suspended, not of who is gone`, async t => {
    await using store = await make(t)
    const [ann, bob, cid] = await people(store, 'ann', 'bob', 'cid')
    await store.followMany([bob, cid].map(author => ({ reader: ann, author })))
    const ids = [ann, bob, cid].map(author => publish(store, author))
    const [a, b] = (await Promise.all(ids)) as [string, string, string]
    await store.setStatus(bob, 'suspended')
    await store.setStatus(cid, 'gone')
    assert.deepEqual(await store.homeIds(ann, END, 10, 'kept'), descending([a, b]))
    assert.deepEqual(await store.homeIds(ann, END, 10, 'shown'), [a])
    assert.deepEqual(await store.idsByAuthor(bob, END, BEGINNING, 10, 'kept'), [b])
    assert.deepEqual(await store.idsByAuthor(bob, END, BEGINNING, 10), [])
    assert.deepEqual(await store.idsByAuthor(cid, END, BEGINNING, 10, 'kept'), [])
  })

  test(`${name}: the oracle applies every rule`, async t => {
    await using store = await make(t)
    const [ann, bob, cid, dan, eve] = await people(store, 'ann', 'bob', 'cid', 'dan', 'eve')
    const others = [bob, cid, dan, eve]
    await store.followMany(others.map(author => ({ reader: ann, author })))
    const own = [await publish(store, ann), await publish(store, ann)]
    const theirs = new Map<number, string>()
    for (const author of others) theirs.set(author, await publish(store, author))
    const extra = await publish(store, bob)
    await store.mute(ann, cid)
    await store.block(ann, dan)
    await store.block(eve, ann)
    await store.hide(ann, extra)
    await store.hide(ann, own[0]!)
    assert.deepEqual(await store.oracle(ann, END, 10), descending([own[1]!, theirs.get(bob)!]))
    await store.unmute(ann, cid)
    await store.unhide(ann, extra)
    const expected = descending([own[1]!, theirs.get(bob)!, extra, theirs.get(cid)!])
    assert.deepEqual(await store.oracle(ann, END, 10), expected)
    assert.deepEqual(await store.oracle(ann, expected[1]!, 1), expected.slice(2, 3))
    assert.deepEqual(await store.oracle(ann, END, 10, expected[1]!), expected.slice(0, 1))
    await store.unblock(ann, dan)
    assert.deepEqual(await store.oracle(ann, END, 10), expected)
    await store.unfollow(ann, bob)
    assert.deepEqual(await store.oracle(ann, END, 10), descending([own[1]!, theirs.get(cid)!]))
  })
}
