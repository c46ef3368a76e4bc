import assert from 'node:assert/strict'
import test from 'node:test'
import { END, isPostId, shardOf, shardOfAuthor, timeOf } from '../domain/post-id.ts'
import {
  countsOf,
  descending,
  eventsOf,
  flush,
  key,
  type MakeStore,
  made,
  people,
  publish,
  refuses,
  type StoreHooks
} from './store-fixtures.conformance.ts'

export function postsConformance(name: string, make: MakeStore, hooks: StoreHooks): void {
  test(`${name}: a post comes back as it was given, with its author`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const attrs = { tags: ['tea', 'ünï ✓ 👍'], deep: { n: 1.5, none: null, yes: true } }
    let id = ''
    const events = await eventsOf(store, async () => {
      const { value, replayed } = await store.publish({ author: ann, content: '"q" \\ 👍', attrs })
      id = value.post.id
      assert.equal(replayed, false)
      assert.deepEqual(value.author, (await store.usersByNumbers([ann]))[0])
      assert.deepEqual(value.post, {
        id,
        author: ann,
        content: '"q" \\ 👍',
        attrs,
        editedAt: null,
        deleted: false
      })
      assert.deepEqual(await store.postsByIds([id, '1000000000000000001']), [value.post])
    })
    assert.ok(isPostId(id))
    assert.equal(shardOf(id), shardOfAuthor(ann))
    assert.deepEqual(events, [{ type: 'post', author: ann, post: id }])
  })

  test(`${name}: posts made at the same time have distinct ids of their author's shard`, async t => {
    await using store = await make(t)
    const authors = await people(store, 'ann', 'bob', 'cid')
    const ids = await Promise.all(
      Array.from({ length: 60 }, (_, at) => publish(store, authors[at % 3]!))
    )
    assert.equal(new Set(ids).size, 60)
    for (const [at, id] of ids.entries()) assert.equal(shardOf(id), shardOfAuthor(authors[at % 3]!))
    await flush(store)
    for (const author of authors) assert.equal((await countsOf(store, author))?.posts, 20)
  })

  test(`${name}: 20 requests with one key make one post and 20 equal answers`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const post = { author: ann, content: 'once', attrs: { a: 1 } }
    const events = await eventsOf(store, async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => store.publish(post, key(ann)))
      )
      for (const { value } of answers) assert.deepEqual(value, answers[0]?.value)
      assert.equal(answers.filter(({ replayed }) => !replayed).length, 1)
      await store.putUser('ann', { name: 'Ann' })
      await store.editPost(ann, answers[0]!.value.post.id, { content: 'other' })
      const later = await store.publish(post, key(ann))
      assert.deepEqual(later, { value: answers[0]?.value, replayed: true })
    })
    assert.equal(events.filter(event => event.type === 'post').length, 1)
    assert.equal((await store.idsByAuthor(ann, END, '0', 100)).length, 1)
  })

  test(`${name}: a key belongs to its owner and its request`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const post = { author: ann, content: 'once', attrs: {} }
    await store.publish(post, key(ann))
    await refuses(store.publish(post, key(ann, 'key', 'other')), 'idempotency_conflict')
    await refuses(store.follow(ann, bob, key(ann, 'key', 'follow')), 'idempotency_conflict')
    assert.equal((await store.publish(post, key(ann, 'key 2'))).replayed, false)
    assert.equal((await store.publish({ ...post, author: bob }, key(bob))).replayed, false)
    assert.equal((await store.publish({ ...post, author: bob }, key(0))).replayed, false)
    assert.deepEqual(await store.follows([{ reader: ann, author: bob }]), [false])
    assert.equal((await store.idsByAuthor(ann, END, '0', 100)).length, 2)
  })

  test(`${name}: who is suspended, gone or unknown cannot write`, async t => {
    await using store = await make(t)
    const [ann, bob, cid] = await people(store, 'ann', 'bob', 'cid')
    const id = await publish(store, ann)
    const kept = await store.publish({ author: ann, content: 'x', attrs: {} }, key(ann))
    await store.setStatus(ann, 'suspended')
    await store.setStatus(bob, 'gone')
    const post = { content: 'x', attrs: {} }
    const events = await eventsOf(store, async () => {
      await refuses(store.publish({ ...post, author: ann }), 'account_suspended')
      await refuses(store.publish({ ...post, author: ann }, key(ann, 'k2')), 'account_suspended')
      await refuses(store.publish({ ...post, author: bob }), 'account_gone')
      await refuses(store.publish({ ...post, author: 999_999 }), 'user_not_found')
      await refuses(store.editPost(ann, id, { content: 'y' }), 'account_suspended')
      await refuses(store.deletePost(ann, id), 'account_suspended')
      await refuses(store.follow(ann, cid), 'account_suspended')
      await refuses(store.unfollow(ann, cid), 'account_suspended')
      await refuses(store.block(bob, cid), 'account_gone')
      await refuses(store.mute(bob, cid), 'account_gone')
      await refuses(store.hide(ann, id), 'account_suspended')
      await refuses(store.importPosts([made(cid, null), made(bob, null)]), 'account_gone')
    })
    assert.deepEqual(events, [])
    const again = await store.publish({ author: ann, content: 'x', attrs: {} }, key(ann))
    assert.deepEqual(again, { value: kept.value, replayed: true })
    await store.setStatus(ann, 'active')
    assert.equal((await store.publish({ ...post, author: ann }, key(ann, 'k2'))).replayed, false)
  })

  test(`${name}: an edit changes what it names`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const { post } = (await store.publish({ author: ann, content: 'a', attrs: { n: 1 } })).value
    const events = await eventsOf(store, async () => {
      const { value } = await store.editPost(ann, post.id, { content: 'b' }, key(ann))
      assert.ok(Number.isInteger(value.editedAt) && value.editedAt! >= timeOf(post.id))
      assert.deepEqual(value, { ...post, content: 'b', editedAt: value.editedAt })
      assert.deepEqual(await store.postsByIds([post.id]), [value])
      const again = await store.editPost(ann, post.id, { content: 'b' }, key(ann))
      assert.deepEqual(again, { value, replayed: true })
    })
    assert.deepEqual(events, [{ type: 'edit', author: ann, post: post.id }])
    const { value } = await store.editPost(ann, post.id, { attrs: { n: 2 } })
    assert.deepEqual([value.content, value.attrs], ['b', { n: 2 }])
    await refuses(store.editPost(bob, post.id, { content: 'c' }), 'not_author')
    await refuses(store.editPost(ann, '1000000000000000001', { content: 'c' }), 'post_not_found')
  })

  test(`${name}: a deletion leaves a tombstone`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const [kept, id] = [await publish(store, ann), await publish(store, ann)]
    await refuses(store.deletePost(bob, id), 'not_author')
    const events = await eventsOf(store, async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => store.deletePost(ann, id)))
      for (const answer of answers) assert.deepEqual(answer, { value: null, replayed: false })
      assert.equal((await store.deletePost(ann, id, key(ann))).replayed, false)
      assert.deepEqual(await store.deletePost(ann, id, key(ann)), { value: null, replayed: true })
    })
    assert.deepEqual(events, [{ type: 'delete', author: ann, post: id }])
    assert.deepEqual(
      (await store.postsByIds([id])).map(post => post.deleted),
      [true]
    )
    assert.deepEqual(await store.idsByAuthor(ann, END, '0', 10), [kept])
    await refuses(store.editPost(ann, id, { content: 'c' }), 'post_not_found')
    await refuses(store.deletePost(bob, id), 'post_not_found')
    await refuses(store.deletePost(ann, '1000000000000000001'), 'post_not_found')
    await flush(store)
    assert.equal((await countsOf(store, ann))?.posts, 1)
  })

  test(`${name}: an author's posts lie between two ids, newest first`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const same = Array.from({ length: 6 }, () => made(ann, 1_600_000_000_000))
    await store.importPosts([...same, made(bob, 1_600_000_000_000)])
    const ids = await store.idsByAuthor(ann, END, '0', 100)
    assert.equal(ids.length, 6)
    assert.deepEqual(ids, descending(ids))
    for (const [at, id] of ids.entries()) {
      assert.deepEqual(await store.idsByAuthor(ann, id, '0', 100), ids.slice(at + 1))
      assert.deepEqual(await store.idsByAuthor(ann, END, id, 100), ids.slice(0, at))
    }
    assert.deepEqual(await store.idsByAuthor(ann, END, '0', 2), ids.slice(0, 2))
    await store.setStatus(ann, 'suspended')
    assert.deepEqual(await store.idsByAuthor(ann, END, '0', 100), [])
    await store.setStatus(ann, 'active')
    assert.equal((await store.idsByAuthor(ann, END, '0', 100)).length, 6)
    await store.setStatus(ann, 'gone')
    assert.deepEqual(await store.idsByAuthor(ann, END, '0', 100), [])
  })

  const { stepClock } = hooks
  if (stepClock === undefined) return
  test(`${name}: no ids are made while the clock is behind`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const first = await publish(store, ann)
    await stepClock(store, -3000)
    const second = await publish(store, ann)
    assert.ok(timeOf(second) < timeOf(first))
    await stepClock(store, -4000)
    await refuses(store.publish({ author: ann, content: 'x', attrs: {} }), 'clock_behind')
    await refuses(store.importPosts([made(ann, null)]), 'clock_behind')
    await stepClock(store, 7000)
    await publish(store, ann)
  })
}
