import assert from 'node:assert/strict'
import test from 'node:test'
import {
  descending,
  flush,
  key,
  type MakeStore,
  people,
  publish,
  refuses
} from './store-fixtures.conformance.ts'

export function likesConformance(name: string, make: MakeStore): void {
  test(`${name}: a like counts once it is flushed`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const [liked, other] = [await publish(store, ann), await publish(store, ann)]
    assert.deepEqual(await store.like(bob, liked), { value: true, replayed: false })
    assert.equal((await store.like(bob, liked)).value, false)
    assert.equal((await store.like(ann, liked)).value, true)
    assert.deepEqual(await store.likedBy(bob, [other, liked]), [liked])
    assert.equal((await store.likeCounts([liked])).get(liked) ?? 0, 0)
    await flush(store)
    const counts = await store.likeCounts([liked, other])
    assert.deepEqual([counts.get(liked), counts.get(other) ?? 0], [2, 0])
    assert.equal((await store.unlike(bob, liked)).value, true)
    assert.equal((await store.unlike(bob, liked)).value, false)
    assert.deepEqual(await store.likedBy(bob, [other, liked]), [])
    assert.ok((await flush(store)) > 0)
    assert.equal((await store.likeCounts([liked])).get(liked), 1)
    assert.equal(await store.flushCounts(100), 0)
  })

  test(`${name}: posts that are not there cannot be liked`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const id = await publish(store, ann)
    await store.like(ann, id)
    await store.deletePost(ann, id)
    await refuses(store.like(bob, id), 'post_not_found')
    await refuses(store.like(bob, '1000000000000000001'), 'post_not_found')
    const pairs = [
      { user: bob, post: id },
      { user: bob, post: '1000000000000000001' }
    ]
    assert.deepEqual(await store.likeMany(pairs), { added: 0, skipped: 2 })
    assert.equal((await store.unlike(ann, id)).value, true)
    assert.equal((await store.unlike(bob, '1000000000000000001')).value, false)
    const next = await publish(store, ann)
    await store.setStatus(bob, 'suspended')
    await refuses(store.like(bob, next), 'account_suspended')
    assert.deepEqual(await store.likeMany([{ user: bob, post: next }]), { added: 0, skipped: 1 })
  })

  test(`${name}: many likes respect blocks either way, and authors who are not active`, async t => {
    await using store = await make(t)
    const [ann, bob, cid] = await people(store, 'ann', 'bob', 'cid')
    const [ofAnn, ofBob, ofCid] = await Promise.all([ann, bob, cid].map(by => publish(store, by)))
    await store.block(ann!, bob!)
    await store.setStatus(cid!, 'suspended')
    const likes = [
      { user: bob!, post: ofAnn! },
      { user: ann!, post: ofBob! },
      { user: ann!, post: ofCid! },
      { user: ann!, post: ofAnn! }
    ]
    assert.deepEqual(await store.likeMany(likes), { added: 1, skipped: 3 })
    assert.deepEqual(await store.likedBy(bob!, [ofAnn!]), [])
  })

  test(`${name}: many likes at once`, async t => {
    await using store = await make(t)
    const users = await people(store, ...'abcdefgh')
    const posts = [await publish(store, users[0]!), await publish(store, users[1]!)]
    const likes = users.flatMap(user => posts.map(post => ({ user: user!, post })))
    await store.like(users[0]!, posts[0]!)
    assert.deepEqual(await store.likeMany([...likes, ...likes]), { added: 15, skipped: 0 })
    assert.deepEqual(await store.likeMany(likes), { added: 0, skipped: 0 })
    assert.deepEqual(await store.likeMany([]), { added: 0, skipped: 0 })
    const both = await Promise.all([likes, likes.toReversed()].map(list => store.likeMany(list)))
    assert.deepEqual(both, Array(2).fill({ added: 0, skipped: 0 }))
    await flush(store)
    const counts = await store.likeCounts([...posts, ...posts])
    assert.deepEqual(
      posts.map(post => counts.get(post)),
      [8, 8]
    )
    assert.deepEqual(descending(await store.likedBy(users[3]!, posts)), descending(posts))
    assert.deepEqual(await store.likedBy(users[3]!, []), [])
  })

  test(`${name}: counts equal rows after likes, unlikes and flushes at the same time`, async t => {
    await using store = await make(t)
    const users = await people(store, ...'abcdefgh')
    const post = await publish(store, users[0]!)
    for (let round = 0; round < 4; round++) {
      const likes = Array.from({ length: 50 }, (_, at) => {
        const user = users[(at * 3 + round) % users.length]!
        return (at * 5) % 7 < 4 ? store.like(user, post) : store.unlike(user, post)
      })
      const flushes = Array.from({ length: 6 }, () => store.flushCounts(3))
      await Promise.all([...likes, ...flushes])
      await flush(store)
      const liked = await Promise.all(users.map(user => store.likedBy(user!, [post])))
      assert.equal((await store.likeCounts([post])).get(post) ?? 0, liked.flat().length)
    }
  })

  test(`${name}: a flush moves no more than it was asked to`, async t => {
    await using store = await make(t)
    const users = await people(store, ...'abcdefgh')
    const post = await publish(store, users[0]!)
    for (const user of users) await store.like(user!, post)
    await store.flushCounts(3)
    assert.ok(((await store.likeCounts([post])).get(post) ?? 0) <= 3)
    await flush(store)
    assert.equal((await store.likeCounts([post])).get(post), 8)
  })

  test(`${name}: likes repeat their answer under one key`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const post = await publish(store, ann)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => store.like(ann, post, key(ann)))
    )
    assert.ok(answers.every(({ value }) => value))
    assert.equal(answers.filter(({ replayed }) => !replayed).length, 1)
    assert.equal((await store.unlike(ann, post, key(ann, 'un'))).value, true)
    assert.deepEqual(await store.like(ann, post, key(ann)), { value: true, replayed: true })
    assert.deepEqual(await store.likedBy(ann, [post]), [])
    await flush(store)
    assert.equal((await store.likeCounts([post])).get(post) ?? 0, 0)
  })
}
