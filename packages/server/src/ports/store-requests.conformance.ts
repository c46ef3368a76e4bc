import assert from 'node:assert/strict'
import test from 'node:test'
import { END } from '../domain/post-id.ts'
import type { Store } from './store.ts'
import {
  countsOf,
  eventsOf,
  flush,
  key,
  type MakeStore,
  people,
  publish,
  refuses,
  sorted,
  walk
} from './store-fixtures.conformance.ts'

async function setVisibility(store: Store, id: string, visibility: 'public' | 'private') {
  return (await store.putUser(id, { visibility })).value
}

/** Accepts all that is left open, in small batches. */
export async function acceptAll(store: Store, limit = 2) {
  const all = []
  for (let added = await store.acceptOpened(limit); added.length > 0; ) {
    all.push(...added)
    added = await store.acceptOpened(limit)
  }
  return all
}

async function privateUsers(store: Store, ...ids: string[]): Promise<number[]> {
  const users = await people(store, ...ids)
  for (const id of ids) await setVisibility(store, id, 'private')
  return users
}

export function requestsConformance(name: string, make: MakeStore): void {
  test(`${name}: an account is public until it says otherwise`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const events = await eventsOf(store, async () => {
      const { visibility, version } = await setVisibility(store, 'ann', 'private')
      assert.deepEqual([visibility, version], ['private', 2])
      assert.equal((await setVisibility(store, 'ann', 'private')).version, 2)
    })
    assert.deepEqual(events, [{ type: 'user', author: ann }])
    assert.equal((await store.putUser('ann', { name: 'Ann' })).value.visibility, 'private')
    await store.putUsers([
      { id: 'ann', name: 'A.' },
      { id: 'bob', visibility: 'private' }
    ])
    const users = await store.usersByIds(['ann', 'bob'])
    assert.deepEqual(
      users.map(user => user.visibility),
      ['private', 'private']
    )
    assert.equal((await setVisibility(store, 'ann', 'public')).visibility, 'public')
  })

  test(`${name}: a private author is asked, and nothing else changes`, async t => {
    await using store = await make(t)
    const [ann = 0, bob = 0] = await privateUsers(store, 'ann', 'bob')
    const id = await publish(store, bob)
    const events = await eventsOf(store, async () => {
      assert.deepEqual(await store.follow(ann, bob), { value: 'requested', replayed: false })
      assert.equal((await store.follow(ann, bob)).value, 'requested')
    })
    assert.deepEqual(events, [])
    assert.deepEqual(await store.follows([{ reader: ann, author: bob }]), [false])
    assert.deepEqual(await walk(store, 'requests', bob), [ann])
    assert.deepEqual(await walk(store, 'requested', ann), [bob])
    assert.deepEqual(await walk(store, 'followers', bob), [])
    assert.deepEqual(await store.followerSlice(bob, 0, 10), [])
    assert.deepEqual(await store.homeIds(ann, END, 10), [])
    assert.deepEqual(await store.oracle(ann, END, 10), [])
    assert.deepEqual(await store.likeMany([{ user: ann, post: id }]), { added: 0, skipped: 1 })
    assert.deepEqual(await store.likeMany([{ user: bob, post: id }]), { added: 1, skipped: 0 })
    await flush(store)
    assert.equal((await countsOf(store, bob))?.followers, 0)
    assert.equal((await store.unfollow(ann, bob)).value, true)
    assert.equal((await store.unfollow(ann, bob)).value, false)
    assert.deepEqual(await walk(store, 'requests', bob), [])
    assert.equal((await store.rules(ann)).cuts.size, 0)
  })

  test(`${name}: an accepted request is a follow, with all that goes with one`, async t => {
    await using store = await make(t)
    const [ann = 0, bob = 0] = await privateUsers(store, 'ann', 'bob')
    const id = await publish(store, bob)
    await refuses(store.acceptRequest(bob, ann), 'request_not_found')
    await store.follow(ann, bob)
    await refuses(store.acceptRequest(ann, bob), 'request_not_found')
    const events = await eventsOf(store, async () => {
      assert.deepEqual(await store.acceptRequest(bob, ann), { value: true, replayed: false })
      assert.equal((await store.acceptRequest(bob, ann)).value, false)
    })
    const both = sorted([
      { type: 'relation', author: bob, reader: ann },
      { type: 'rules', reader: ann }
    ])
    assert.deepEqual(events, both)
    assert.deepEqual(await walk(store, 'requests', bob), [])
    assert.deepEqual(await walk(store, 'followers', bob), [ann])
    assert.deepEqual(await store.oracle(ann, END, 10), [id])
    assert.equal((await store.follow(ann, bob)).value, false)
    assert.deepEqual(await store.likeMany([{ user: ann, post: id }]), { added: 1, skipped: 0 })
    assert.deepEqual(await eventsOf(store, () => store.removeFollower(bob, ann)), both)
    assert.equal((await store.removeFollower(bob, ann)).value, false)
    assert.deepEqual([...(await store.rules(ann)).cuts], [bob])
    assert.deepEqual(await store.oracle(ann, END, 10), [])
    await store.follow(ann, bob)
    assert.deepEqual([...(await store.rules(ann)).cuts], [bob])
    await store.acceptRequest(bob, ann)
    assert.equal((await store.rules(ann)).cuts.size, 0)
    await flush(store)
    assert.deepEqual(await countsOf(store, bob), { followers: 1, following: 0, posts: 1 })
    assert.deepEqual(await countsOf(store, ann), { followers: 0, following: 1, posts: 0 })
  })

  test(`${name}: a rejected request leaves nothing, and may be made again`, async t => {
    await using store = await make(t)
    const [ann = 0, bob = 0] = await privateUsers(store, 'ann', 'bob')
    await store.follow(ann, bob)
    const events = await eventsOf(store, async () => {
      assert.equal((await store.rejectRequest(bob, ann)).value, true)
      assert.equal((await store.rejectRequest(bob, ann)).value, false)
    })
    assert.deepEqual(events, [])
    await refuses(store.acceptRequest(bob, ann), 'request_not_found')
    assert.equal((await store.follow(ann, bob)).value, 'requested')
  })

  test(`${name}: a block takes requests back, both ways`, async t => {
    await using store = await make(t)
    const [ann = 0, bob = 0] = await privateUsers(store, 'ann', 'bob')
    await store.follow(ann, bob)
    await store.follow(bob, ann)
    await store.block(ann, bob)
    for (const [reader, author] of [
      [ann, bob],
      [bob, ann]
    ] as const) {
      await refuses(store.follow(reader, author), 'blocked')
      await refuses(store.acceptRequest(author, reader), 'request_not_found')
      assert.deepEqual(await walk(store, 'requests', author), [])
    }
    await store.unblock(ann, bob)
    await refuses(store.acceptRequest(bob, ann), 'request_not_found')
  })

  test(`${name}: an import of follows asks nobody`, async t => {
    await using store = await make(t)
    const [ann = 0, bob = 0] = await privateUsers(store, 'ann', 'bob')
    await store.follow(ann, bob)
    const pair = { reader: ann, author: bob }
    assert.deepEqual(await store.followMany([pair]), [pair])
    assert.deepEqual(await walk(store, 'requests', bob), [])
    assert.deepEqual(await store.follows([pair]), [true])
  })

  test(`${name}: requests are limited, and leave room to be accepted`, async t => {
    await using store = await make(t, { followsMax: 5, requestsMax: 3 })
    const [ann] = await people(store, 'ann')
    const hidden = await privateUsers(store, ...'abcdef')
    const open = await people(store, ...'ghijkl')
    const tries = await Promise.allSettled(hidden.map(author => store.follow(ann, author)))
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 3)
    const asked = await walk(store, 'requested', ann)
    assert.equal(asked.length, 3)
    const left = hidden.find(author => !asked.includes(author)) ?? 0
    await refuses(store.follow(ann, left), 'requests_limit')
    assert.equal((await store.follow(ann, asked[0]!)).value, 'requested')
    const follows = await store.followMany(open.map(author => ({ reader: ann, author: author! })))
    assert.equal(follows.length, 2)
    const rest = open.find(author => !follows.some(follow => follow.author === author)) ?? 0
    await refuses(store.follow(ann, rest), 'follows_limit')
    for (const author of asked) await store.acceptRequest(author, ann)
    assert.equal((await walk(store, 'following', ann)).length, 5)
    await refuses(store.follow(ann, left), 'follows_limit')
  })

  test(`${name}: requests go on from a position, newest first, without who is not active`, async t => {
    await using store = await make(t)
    const [bob = 0] = await privateUsers(store, 'bob')
    const others = await people(store, ...'abcdefg')
    for (const other of others) await store.follow(other!, bob)
    const newest = others.toReversed()
    for (const limit of [1, 3, 100])
      assert.deepEqual(await walk(store, 'requests', bob, limit), newest)
    await store.setStatus(others[2]!, 'suspended')
    await store.setStatus(others[4]!, 'gone')
    const shown = newest.filter(other => other !== others[2] && other !== others[4])
    assert.deepEqual(await walk(store, 'requests', bob, 2), shown)
    for (const at of [2, 4])
      await refuses(store.acceptRequest(bob, others[at]!), 'request_not_found')
    await store.setStatus(others[2]!, 'active')
    assert.equal((await store.acceptRequest(bob, others[2]!)).value, true)
    while ((await store.cleanGone(100)) > 0);
    await setVisibility(store, 'bob', 'public')
    const rest = others.filter(other => other !== others[2] && other !== others[4])
    assert.deepEqual(
      (await acceptAll(store)).map(({ reader }) => reader),
      rest
    )
  })

  test(`${name}: an account that is not active decides nothing`, async t => {
    await using store = await make(t)
    const [ann = 0, bob = 0] = await privateUsers(store, 'ann', 'bob')
    await store.follow(ann, bob)
    await store.setStatus(bob, 'suspended')
    for (const change of ['acceptRequest', 'rejectRequest', 'removeFollower'] as const)
      await refuses(store[change](bob, ann), 'account_suspended')
    await store.setStatus(bob, 'active')
    assert.deepEqual(await walk(store, 'requests', bob), [ann])
    await store.setStatus(bob, 'gone')
    while ((await store.cleanGone(100)) > 0);
    assert.deepEqual(await walk(store, 'requested', ann), [])
  })

  test(`${name}: who turns public accepts what was asked before, and no more`, async t => {
    await using store = await make(t)
    const [bob = 0, cid = 0] = await privateUsers(store, 'bob', 'cid')
    const [ann, ...others] = await people(store, 'ann', ...'abcdefg')
    for (const other of others) await store.follow(other!, bob)
    await store.follow(others[0]!, cid)
    assert.equal(await store.openedPending(), 0)
    await setVisibility(store, 'bob', 'public')
    await setVisibility(store, 'bob', 'private')
    assert.equal((await store.follow(ann, bob)).value, 'requested')
    assert.deepEqual(await store.acceptOpened(10, cid), [])
    assert.equal((await store.acceptOpened(3, bob)).length, 3)
    assert.equal(await store.openedPending(), 1)
    const events = await eventsOf(store, async () => {
      const added = await acceptAll(store, 3)
      assert.deepEqual(
        added.map(({ reader }) => reader),
        others.slice(3)
      )
    })
    assert.equal(events.filter(({ type }) => type === 'relation').length, 4)
    assert.equal(events.filter(({ type }) => type === 'rules').length, 4)
    assert.deepEqual(await walk(store, 'requests', bob), [ann])
    assert.deepEqual(await walk(store, 'requests', cid), [others[0]])
    assert.deepEqual(await store.acceptOpened(10), [])
    assert.equal(await store.openedPending(), 0)
    await flush(store)
    assert.equal((await countsOf(store, bob))?.followers, 7)
  })

  test(`${name}: a follow of who turned public waits for nobody`, async t => {
    await using store = await make(t)
    const [bob = 0] = await privateUsers(store, 'bob')
    const [ann] = await people(store, 'ann')
    await store.follow(ann, bob)
    await setVisibility(store, 'bob', 'public')
    assert.equal((await store.follow(ann, bob)).value, true)
    assert.deepEqual(await walk(store, 'requests', bob), [])
    assert.deepEqual(await acceptAll(store), [])
  })

  test(`${name}: decisions repeat their answer under one key`, async t => {
    await using store = await make(t)
    const [ann = 0, bob = 0] = await privateUsers(store, 'ann', 'bob')
    const asked = { value: 'requested', replayed: false }
    assert.deepEqual(await store.follow(ann, bob, key(ann)), asked)
    await store.acceptRequest(bob, ann, key(bob))
    assert.deepEqual(await store.follow(ann, bob, key(ann)), { ...asked, replayed: true })
    await store.removeFollower(bob, ann, key(bob, 'remove'))
    assert.deepEqual(await store.acceptRequest(bob, ann, key(bob)), { value: true, replayed: true })
    assert.deepEqual(await walk(store, 'followers', bob), [])
  })
}
