import assert from 'node:assert/strict'
import test from 'node:test'
import {
  importIds,
  key,
  type MakeStore,
  made,
  people,
  publish,
  refuses
} from './store-fixtures.conformance.ts'

export function keysConformance(name: string, make: MakeStore): void {
  test(`${name}: a key tells whether its request is done`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    assert.equal(await store.isDone(key(ann)), false)
    await refuses(store.follow(ann, 999_999, key(ann)), 'user_not_found')
    assert.equal(await store.isDone(key(ann)), false)
    await store.follow(ann, bob, key(ann))
    assert.equal(await store.isDone(key(ann)), true)
    assert.equal(await store.isDone(key(bob)), false)
    await refuses(store.isDone(key(ann, 'key', 'other')), 'idempotency_conflict')
  })

  test(`${name}: a request of several transactions keeps the result of whoever is done first`, async t => {
    await using store = await make(t)
    const opened = await Promise.all([store.openKey(key(0)), store.openKey(key(0))])
    assert.deepEqual(opened[0], opened[1])
    assert.equal(opened[0].outcome, null)
    await refuses(store.openKey(key(0, 'key', 'other')), 'idempotency_conflict')
    const closed = await Promise.all([store.closeKey(key(0), [1]), store.closeKey(key(0), [2])])
    assert.deepEqual(closed[0], closed[1])
    assert.deepEqual(await store.closeKey(key(0), [3]), closed[0])
    const { outcome } = await store.openKey(key(0))
    assert.deepEqual(outcome, { value: closed[0] })
    assert.equal(await store.isDone(key(0)), true)
    await refuses(store.closeKey(key(0, 'key', 'other'), []), 'idempotency_conflict')
  })

  test(`${name}: an import is done once under one key`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const posts = [made(ann, null), made(ann, 1_600_000_000_000), made(ann, null, 'named')]
    const results = await Promise.all([
      store.importPosts(posts, key(0)),
      store.importPosts(posts, key(0))
    ])
    assert.deepEqual(results[0], results[1])
    assert.ok(results[0].every(({ created }) => created))
    assert.deepEqual(await store.importPosts(posts, key(0)), results[0])
    assert.equal((await store.stats()).posts, 3)
    await refuses(store.importPosts(posts, key(0, 'key', 'other')), 'idempotency_conflict')
    assert.equal(new Set(await importIds(store, posts)).size, 3)
    assert.equal((await store.stats()).posts, 5)
  })

  test(`${name}: what keys keep of a deleted post has no words`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    await store.putUser('ann', { name: 'Ann' })
    const post = { author: ann, content: 'secret', attrs: { also: 'secret' } }
    const { value } = await store.publish(post, key(ann, 'post'))
    const { id } = value.post
    const edit = { content: 'more secret' }
    const edited = await store.editPost(ann, id, edit, key(ann, 'edit'))
    const other = await store.publish(post, key(ann, 'other'))
    await store.deletePost(ann, id, key(ann, 'delete'))
    const blank = { content: '', attrs: {} }
    assert.deepEqual(await store.publish(post, key(ann, 'post')), {
      value: { post: { ...value.post, ...blank }, author: value.author },
      replayed: true
    })
    assert.deepEqual(await store.editPost(ann, id, edit, key(ann, 'edit')), {
      value: { ...edited.value, ...blank },
      replayed: true
    })
    assert.equal((await store.deletePost(ann, id, key(ann, 'delete'))).replayed, true)
    const again = await store.publish(post, key(ann, 'other'))
    assert.deepEqual(again.value, other.value)
  })

  test(`${name}: what keys keep of a user who is gone has no words`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const profile = { name: 'Ann', avatar: 'ann.png', attributes: { age: 30 } }
    const put = await store.putUser('ann', profile, key(0, 'put'))
    const post = { author: ann, content: 'secret', attrs: {} }
    const { value } = await store.publish(post, key(ann, 'post'))
    await store.follow(ann, bob, key(ann, 'follow'))
    const bobs = await store.putUser('bob', profile, key(0, 'bob'))
    await store.setStatus(ann, 'suspended', key(0, 'suspend'))
    await store.setStatus(ann, 'gone')
    const blank = { name: null, avatar: null, attributes: {} }
    const repeat = async () => {
      const again = await store.putUser('ann', profile, key(0, 'put'))
      assert.deepEqual(again, { value: { ...put.value, ...blank }, replayed: true })
      assert.deepEqual((await store.publish(post, key(ann, 'post'))).value, {
        post: { ...value.post, content: '' },
        author: { ...value.author, ...blank }
      })
      const suspended = await store.setStatus(ann, 'suspended', key(0, 'suspend'))
      assert.deepEqual([suspended.value.status, suspended.value.name], ['suspended', null])
      assert.deepEqual(await store.follow(ann, bob, key(ann, 'follow')), {
        value: true,
        replayed: true
      })
      assert.deepEqual((await store.putUser('bob', profile, key(0, 'bob'))).value, bobs.value)
    }
    await repeat()
    while ((await store.cleanGone(10)) > 0);
    await repeat()
  })

  test(`${name}: the rules of users who are gone are removed`, async t => {
    await using store = await make(t)
    const [ann, bob, cid] = await people(store, 'ann', 'bob', 'cid')
    const [bobs, cids] = [await publish(store, bob), await publish(store, cid)]
    await store.follow(ann, cid)
    await store.unfollow(ann, cid)
    for (const [reader, other] of [
      [ann, bob],
      [bob, ann]
    ] as const) {
      await store.mute(reader, other)
      await store.block(reader, other)
    }
    await store.hide(ann, bobs)
    await store.hide(bob, cids)
    await store.mute(bob, cid)
    await store.setStatus(ann, 'gone')
    while ((await store.cleanGone(2)) > 0);
    const sizes = async (reader: number) => {
      const { blocks, mutes, hides, cuts } = await store.rules(reader)
      return [blocks.size, mutes.size, hides.size, cuts.size]
    }
    assert.deepEqual(await sizes(ann), [0, 0, 0, 0])
    assert.deepEqual(await sizes(bob), [0, 1, 1, 0])
  })
}
