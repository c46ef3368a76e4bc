import assert from 'node:assert/strict'
import test from 'node:test'
import { BEGINNING, type PostId } from '../domain/post-id.ts'
import type { Store } from './store.ts'
import {
  countsOf,
  flush,
  importIds,
  type MakeStore,
  made,
  people,
  publish
} from './store-fixtures.conformance.ts'

/** All steps of a recount: how much it corrected, and how many steps it took. */
async function recountAll(
  store: Store,
  limit: number
): Promise<[corrected: number, steps: number]> {
  let corrected = 0
  let steps = 0
  for (let post: PostId | null = BEGINNING; post !== null; steps++) {
    const step = await store.recountLikes(post, limit)
    corrected += step.corrected
    post = step.next
  }
  for (let user: number | null = 0; user !== null; steps++) {
    const step = await store.recountUsers(user, limit)
    corrected += step.corrected
    user = step.next
  }
  return [corrected, steps]
}

export function recountConformance(name: string, make: MakeStore): void {
  test(`${name}: CT-03: a recount finds nothing after whatever moves counts`, async t => {
    await using store = await make(t)
    const [ann, bob, cid, dan] = await people(store, 'ann', 'bob', 'cid', 'dan')
    const post = await publish(store, ann)
    const [old] = await importIds(store, [made(bob, 1_700_000_000_000), made(bob, null)])
    await store.followMany([
      { reader: bob, author: ann },
      { reader: cid, author: ann },
      { reader: ann, author: bob },
      { reader: dan, author: cid }
    ])
    await store.likeMany([bob, cid, dan].map(user => ({ user, post })))
    assert.deepEqual((await recountAll(store, 100))[0], 0, 'while all deltas wait')
    await store.flushCounts(3)
    assert.deepEqual((await recountAll(store, 100))[0], 0, 'while some wait')
    await store.block(ann, bob)
    await store.unfollow(cid, ann)
    await store.deletePost(bob, old!)
    await store.unlike(cid, post)
    await store.setStatus(dan, 'suspended')
    await flush(store)
    assert.deepEqual((await recountAll(store, 100))[0], 0, 'all moved')
    assert.equal(await store.recountThese([ann, bob, cid, dan], [post, old!]), 0)
    assert.deepEqual(await store.wrongCounts([ann, bob, cid, dan], [post, old!]), [])
    assert.deepEqual(await store.wrongCounts([999_999], ['1000000000000000001']), [])
    assert.equal((await store.likeCounts([post])).get(post), 2)
    await store.setStatus(dan, 'active')
    await store.setStatus(cid, 'gone')
    while ((await store.cleanGone(2)) > 0) assert.equal((await recountAll(store, 2))[0], 0)
    await flush(store)
    assert.equal((await recountAll(store, 100))[0], 0, 'all cleaned')
    assert.deepEqual(await countsOf(store, dan), { followers: 0, following: 0, posts: 0 })
    assert.deepEqual(await countsOf(store, bob), { followers: 0, following: 0, posts: 1 })
  })

  test(`${name}: CT-03: a recount takes its posts and users in steps`, async t => {
    await using store = await make(t)
    const users = await people(store, ...'abcdefg')
    for (const user of users) await publish(store, user!)
    assert.deepEqual(await recountAll(store, 3), [0, 6])
    assert.deepEqual(await recountAll(store, 8), [0, 2])
  })

  test(`${name}: CT-03: recounts among likes, follows and flushes correct nothing and spoil nothing`, async t => {
    await using store = await make(t)
    const users = await people(store, ...'abcdefgh')
    const post = await publish(store, users[0]!)
    for (let round = 0; round < 3; round++) {
      const changes = Array.from({ length: 40 }, (_, at) => {
        const user = users[(at * 3 + round) % users.length]!
        if (at % 3 === 0) return store.follow(user, users[(at + 1) % 2]!).catch(() => undefined)
        if (at % 7 === 1) return store.unfollow(user, users[(at + 1) % 2]!)
        return (at * 5) % 7 < 4 ? store.like(user, post) : store.unlike(user, post)
      })
      const jobs = Array.from({ length: 5 }, async () => {
        await store.flushCounts(3)
        assert.equal((await recountAll(store, 4))[0], 0)
      })
      await Promise.all([...changes, ...jobs])
      await flush(store)
      const liked = await Promise.all(users.map(user => store.likedBy(user!, [post])))
      assert.equal((await store.likeCounts([post])).get(post) ?? 0, liked.flat().length)
      assert.equal((await recountAll(store, 100))[0], 0)
    }
  })
}
