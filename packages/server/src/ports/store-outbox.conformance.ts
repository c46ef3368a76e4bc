import assert from 'node:assert/strict'
import test from 'node:test'
import { LANES, laneOfAuthor } from '../domain/post-id.ts'
import {
  countsOf,
  drain,
  eventsOf,
  flush,
  key,
  type MakeStore,
  made,
  people,
  publish,
  sorted,
  walk
} from './store-fixtures.conformance.ts'

export function outboxConformance(name: string, make: MakeStore): void {
  test(`${name}: events of one author stand in one lane, in order, until they are marked`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    await using lanes = await store.openLanes()
    assert.deepEqual(
      await lanes.claim(),
      Array.from({ length: LANES }, (_, lane) => lane)
    )
    const posts = []
    for (let at = 0; at < 5; at++) posts.push(await publish(store, ann))
    await publish(store, bob)
    assert.equal(await store.outboxPending(), 6)
    const lane = laneOfAuthor(ann)
    const logged = await lanes.unpublished([lane], 3)
    assert.deepEqual(
      logged.map(({ lane: found }) => found),
      [lane, lane, lane]
    )
    const expected = posts.slice(0, 3).map(post => ({ type: 'post', author: ann, post }))
    assert.deepEqual(
      logged.map(({ event }) => event),
      expected
    )
    assert.deepEqual(await lanes.unpublished([lane], 3), logged)
    await lanes.markPublished([logged[1]!.id, logged[0]!.id])
    await lanes.markPublished([logged[1]!.id])
    const rest = await lanes.unpublished([lane], 100)
    assert.deepEqual(
      rest.map(({ event }) => event.type === 'post' && event.post),
      posts.slice(2)
    )
    assert.equal(await store.outboxPending(), 4)
    assert.equal((await lanes.unpublished([lane, laneOfAuthor(bob)], 1)).length, 2)
    assert.equal((await drain(lanes)).length, 4)
    assert.equal(await store.outboxPending(), 0)
  })

  test(`${name}: a lane has one holder, and goes over when that one ends`, async t => {
    await using store = await make(t)
    const first = await store.openLanes()
    await using second = await store.openLanes()
    assert.equal((await first.claim()).length, LANES)
    assert.deepEqual(await second.claim(), [])
    assert.equal((await first.claim()).length, LANES)
    await first[Symbol.asyncDispose]()
    await assert.rejects(first.claim())
    while ((await second.claim()).length < LANES);
    const third = await store.openLanes()
    assert.deepEqual(await third.claim(), [])
    await third[Symbol.asyncDispose]()
  })

  test(`${name}: an event that was set aside no longer comes`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const posts = [await publish(store, ann), await publish(store, ann)]
    await using lanes = await store.openLanes()
    await lanes.claim()
    const [bad] = await lanes.unpublished([laneOfAuthor(ann)], 10)
    await store.bury(bad!, 'It failed \0 again and again.')
    const events = await drain(lanes)
    assert.deepEqual(events, [{ type: 'post', author: ann, post: posts[1] }])
    const { outboxPending, outboxDead } = await store.stats()
    assert.deepEqual([outboxPending, outboxDead], [0, 1])
  })

  test(`${name}: an event whose work is done elsewhere can be set aside when it is published`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    await publish(store, ann)
    await using lanes = await store.openLanes()
    await lanes.claim()
    const [bad] = await lanes.unpublished([laneOfAuthor(ann)], 10)
    await lanes.markPublished([bad!.id])
    await store.bury(bad!, 'bad')
    assert.equal((await store.stats()).outboxDead, 1)
    assert.equal(await store.republish(60_000), 0)
  })

  test(`${name}: a new holder of lanes finds what was published a moment ago`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const former = await store.openLanes()
    const posts = [await publish(store, ann), await publish(store, ann), await publish(store, ann)]
    await publish(store, bob)
    await former.claim()
    const lane = laneOfAuthor(ann)
    const rows = await former.unpublished([lane, laneOfAuthor(bob)], 10)
    const bad = rows.find(({ event }) => 'post' in event && event.post === posts[1])
    await store.bury(bad!, 'bad')
    await former.markPublished(rows.map(({ id }) => id))
    await former[Symbol.asyncDispose]()
    await using lanes = await store.openLanes()
    while ((await lanes.claim()).length < LANES);
    const recent = await lanes.recent([lane], 60_000)
    assert.deepEqual(
      recent,
      rows.filter(row => row.lane === lane && row !== bad)
    )
    assert.deepEqual(await lanes.recent([lane], 0), [])
  })

  test(`${name}: published events are published again on demand, not those set aside`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const posts = [await publish(store, ann), await publish(store, ann), await publish(store, ann)]
    await using lanes = await store.openLanes()
    await lanes.claim()
    const rows = await lanes.unpublished([laneOfAuthor(ann)], 10)
    await store.bury(rows.find(({ event }) => 'post' in event && event.post === posts[1])!, 'bad')
    await drain(lanes)
    assert.equal(await store.outboxPending(), 0)
    let heard = 0
    store.onOutbox(() => heard++)
    const count = await store.republish(60_000)
    assert.equal(heard, 1, 'relays are woken')
    assert.equal(await store.outboxPending(), count)
    const again = (await drain(lanes)).filter(event => event.type === 'post')
    assert.deepEqual(
      sorted(again),
      sorted([posts[0]!, posts[2]!].map(post => ({ type: 'post' as const, author: ann, post })))
    )
    assert.equal(await store.republish(0), 0)
  })

  test(`${name}: listeners hear of events when they can be read`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const reads: Promise<number>[] = []
    store.onOutbox(() => reads.push(store.outboxPending()))
    const changes: (() => Promise<unknown>)[] = [
      () => publish(store, ann),
      () => store.publish({ author: ann, content: 'x', attrs: {} }, key(ann)),
      () => store.importPosts([made(ann, 1_600_000_000_000)]),
      () => store.follow(ann, bob),
      () => store.unfollow(ann, bob),
      () => store.followMany([{ reader: ann, author: bob }]),
      () => store.block(ann, bob),
      () => store.putUser('ann', { name: 'Ann' }),
      () => store.putUsers([{ id: 'bob', name: 'Bob' }]),
      () => store.setStatus(bob, 'suspended')
    ]
    for (const change of changes) {
      const heard = reads.length
      const before = await store.outboxPending()
      await change()
      assert.ok(reads.length > heard, String(change))
      assert.ok((await reads.at(-1)!) > before, String(change))
    }
  })
}

export function upkeepConformance(name: string, make: MakeStore): void {
  test(`${name}: what users who are gone left is removed in steps`, async t => {
    await using store = await make(t)
    const [ann, bob, cid] = await people(store, 'ann', 'bob', 'cid')
    const posts = []
    for (let at = 0; at < 5; at++) posts.push(await publish(store, ann))
    const kept = await publish(store, bob)
    await store.followMany([
      { reader: bob, author: ann },
      { reader: cid, author: ann },
      { reader: ann, author: bob }
    ])
    await store.like(ann, kept)
    await flush(store)
    assert.equal(await store.cleanGone(100), 0)
    await store.setStatus(ann, 'gone')
    const events = await eventsOf(store, async () => {
      let cleaned = 0
      for (let step = 1; step > 0; cleaned += step) {
        step = await store.cleanGone(2)
        assert.ok(step <= 3, 'two rows, and one user is done')
      }
      assert.ok(cleaned >= 9)
    })
    const rules = ['rules']
    assert.deepEqual(
      events.filter(event => !rules.includes(event.type)),
      sorted([
        ...posts.map(post => ({ type: 'delete', author: ann, post }) as const),
        { type: 'relation', author: ann, reader: bob },
        { type: 'relation', author: ann, reader: cid },
        { type: 'relation', author: bob, reader: ann }
      ])
    )
    assert.ok((await store.postsByIds(posts)).every(post => post.deleted))
    assert.deepEqual(await store.likedBy(ann, [kept]), [])
    assert.deepEqual(await store.followerSlice(ann, 0, 10), [])
    assert.deepEqual(await walk(store, 'followers', bob), [])
    assert.deepEqual(await store.follows([{ reader: bob, author: ann }]), [false])
    await flush(store)
    assert.deepEqual(await countsOf(store, bob), { followers: 0, following: 0, posts: 1 })
    assert.deepEqual(await countsOf(store, cid), { followers: 0, following: 0, posts: 0 })
    assert.equal((await store.likeCounts([kept])).get(kept) ?? 0, 0)
  })

  test(`${name}: the epoch rises`, async t => {
    await using store = await make(t)
    const first = await store.epoch()
    const raised = await Promise.all([store.raiseEpoch(), store.raiseEpoch()])
    assert.deepEqual(
      raised.sort((a, b) => a - b),
      [first + 1, first + 2]
    )
    assert.equal(await store.epoch(), first + 2)
  })

  test(`${name}: numbers of everything; what is young does not expire`, async t => {
    await using store = await make(t)
    await store.ping()
    const [ann, bob] = await people(store, 'ann', 'bob')
    const post = { author: ann, content: 'x', attrs: {} }
    const { value } = await store.publish(post, key(ann))
    await store.follow(bob, ann)
    await store.like(bob, value.post.id)
    await store.deletePost(ann, await publish(store, ann))
    const { outboxPending, ...stats } = await store.stats()
    assert.deepEqual(stats, { users: 2, posts: 1, follows: 1, likes: 1, outboxDead: 0 })
    assert.equal(outboxPending, await store.outboxPending())
    await store.expire(100)
    assert.equal((await store.publish(post, key(ann))).replayed, true)
    assert.equal(await store.outboxPending(), outboxPending)
    await publish(store, ann)
  })
}
