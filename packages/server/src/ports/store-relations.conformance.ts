import assert from 'node:assert/strict'
import test from 'node:test'
import type { PostId } from '../domain/post-id.ts'
import type { Store } from './store.ts'
import {
  ascending,
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

async function isFollow(store: Store, reader: number, author: number): Promise<boolean> {
  return (await store.follows([{ reader, author }]))[0]!
}

/** What the Store knows about a follow, from all its sides. */
async function sides(store: Store, reader: number, author: number): Promise<boolean[]> {
  const following = await walk(store, 'following', reader)
  const followers = await walk(store, 'followers', author)
  const slice = await store.followerSlice(author, 0, 1000)
  const lists = [following.includes(author), followers.includes(reader), slice.includes(reader)]
  return [await isFollow(store, reader, author), ...lists]
}

export function relationsConformance(name: string, make: MakeStore): void {
  test(`${name}: a follow stands on both sides until it ends with a cut`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const both = sorted([
      { type: 'relation', author: bob, reader: ann },
      { type: 'rules', reader: ann }
    ])
    const followed = await eventsOf(store, async () => {
      assert.deepEqual(await store.follow(ann, bob), { value: true, replayed: false })
      assert.equal((await store.follow(ann, bob)).value, false)
    })
    assert.deepEqual(followed, both)
    assert.deepEqual(await sides(store, ann, bob), [true, true, true, true])
    assert.equal(await isFollow(store, bob, ann), false)
    const unfollowed = await eventsOf(store, async () => {
      assert.deepEqual(await store.unfollow(ann, bob), { value: true, replayed: false })
      assert.equal((await store.unfollow(ann, bob)).value, false)
    })
    assert.deepEqual(unfollowed, both)
    assert.deepEqual(await sides(store, ann, bob), [false, false, false, false])
    assert.deepEqual([...(await store.rules(ann)).cuts], [bob])
    await store.follow(ann, bob)
    assert.deepEqual([...(await store.rules(ann)).cuts], [])
    await flush(store)
    assert.deepEqual(await countsOf(store, ann), { followers: 0, following: 1, posts: 0 })
    assert.deepEqual(await countsOf(store, bob), { followers: 1, following: 0, posts: 0 })
  })

  test(`${name}: only users who are there can be followed, blocked and muted`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    await store.setStatus(bob, 'gone')
    const events = await eventsOf(store, async () => {
      for (const author of [bob, 999_999]) {
        await refuses(store.follow(ann, author), 'user_not_found')
        await refuses(store.block(ann, author), 'user_not_found')
        await refuses(store.mute(ann, author), 'user_not_found')
        assert.deepEqual(await store.followMany([{ reader: ann, author }]), [])
      }
      await refuses(store.hide(ann, '1000000000000000001'), 'post_not_found')
      assert.equal((await store.unhide(ann, '1000000000000000001')).value, false)
      assert.equal((await store.unblock(ann, bob)).value, false)
      assert.equal((await store.unmute(ann, bob)).value, false)
    })
    assert.deepEqual(events, [])
    const { blocks, mutes, cuts } = await store.rules(ann)
    assert.deepEqual([blocks.size, mutes.size, cuts.size], [0, 0, 0])
    assert.equal(await isFollow(store, ann, bob), false)
  })

  test(`${name}: the number of follows is limited, exactly`, async t => {
    await using store = await make(t, { followsMax: 5 })
    const [ann, ...others] = await people(store, 'ann', ...'abcdefghijklmnop')
    const tries = await Promise.allSettled(others.map(author => store.follow(ann, author!)))
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 5)
    const following = await walk(store, 'following', ann)
    assert.equal(following.length, 5)
    const left = others.filter(author => !following.includes(author!))
    await refuses(store.follow(ann, left[0]!), 'follows_limit')
    assert.equal((await store.follow(ann, following[0]!)).value, false)
    assert.deepEqual(await store.followMany([{ reader: ann, author: left[0]! }]), [])
    await store.unfollow(ann, following[0]!)
    const added = await store.followMany(left.map(author => ({ reader: ann, author: author! })))
    assert.deepEqual(added, [{ reader: ann, author: left[0] }])
  })

  test(`${name}: the numbers of blocks, mutes and hides are limited, each, exactly`, async t => {
    await using store = await make(t, { rulesMax: 3 })
    const [ann, ...others] = await people(store, 'ann', ...'abcdef')
    const posts: PostId[] = []
    for (const author of others) posts.push(await publish(store, author!))
    const count = (tries: PromiseSettledResult<unknown>[]) =>
      tries.filter(({ status }) => status === 'fulfilled').length
    for (const change of ['block', 'mute'] as const) {
      const tries = others.map(author => store[change](ann, author!))
      assert.equal(count(await Promise.allSettled(tries)), 3)
      const there = await walk(store, `${change}s`, ann)
      const left = others.find(author => !there.includes(author!))
      await refuses(store[change](ann, left!), 'rules_limit')
      assert.equal((await store[change](ann, there[0]!)).value, false)
      await store[`un${change}`](ann, there[0]!)
      assert.equal((await store[change](ann, left!)).value, true)
    }
    assert.equal(count(await Promise.allSettled(posts.map(post => store.hide(ann, post)))), 3)
    const { hides } = await store.rules(ann)
    assert.equal(hides.size, 3)
    const [hidden] = hides
    const left = posts.find(post => !hides.has(post))
    await refuses(store.hide(ann, left!), 'rules_limit')
    assert.equal((await store.hide(ann, hidden!)).value, false)
    await store.unhide(ann, hidden!)
    assert.equal((await store.hide(ann, left!)).value, true)
  })

  test(`${name}: a block ends both follows and forbids others`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    await store.follow(ann, bob)
    await store.follow(bob, ann)
    const events = await eventsOf(store, async () => {
      assert.deepEqual(await store.block(ann, bob), { value: true, replayed: false })
      assert.equal((await store.block(ann, bob)).value, false)
    })
    assert.deepEqual(
      events,
      sorted([
        { type: 'relation', author: ann, reader: bob },
        { type: 'relation', author: bob, reader: ann },
        { type: 'rules', reader: ann },
        { type: 'rules', reader: bob }
      ])
    )
    assert.deepEqual(await sides(store, ann, bob), [false, false, false, false])
    assert.deepEqual(await sides(store, bob, ann), [false, false, false, false])
    for (const [reader, other] of [
      [ann, bob],
      [bob, ann]
    ] as const) {
      const rules = await store.rules(reader)
      assert.deepEqual([[...rules.blocks], [...rules.cuts]], [[other], [other]])
      await refuses(store.follow(reader, other), 'blocked')
      assert.deepEqual(await store.followMany([{ reader, author: other }]), [])
    }
    assert.deepEqual(await walk(store, 'blocks', ann), [bob])
    assert.deepEqual(await walk(store, 'blocks', bob), [])
    const ended = await eventsOf(store, () => store.unblock(ann, bob))
    assert.deepEqual(
      ended,
      sorted([
        { type: 'rules', reader: ann },
        { type: 'rules', reader: bob }
      ])
    )
    assert.equal((await store.follow(bob, ann)).value, true)
    await flush(store)
    assert.deepEqual(await countsOf(store, ann), { followers: 1, following: 0, posts: 0 })
    assert.deepEqual(await countsOf(store, bob), { followers: 0, following: 1, posts: 0 })
  })

  test(`${name}: mutes and hides are the reader's rules`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const { post } = (await store.publish({ author: bob, content: 'x', attrs: {} })).value
    const changes: [() => Promise<{ value: boolean }>, string][] = [
      [() => store.mute(ann, bob), 'mute'],
      [() => store.hide(ann, post.id), 'hide'],
      [() => store.unmute(ann, bob), 'unmute'],
      [() => store.unhide(ann, post.id), 'unhide']
    ]
    const seen: unknown[] = []
    for (const [change, what] of changes) {
      const events = await eventsOf(store, async () => {
        assert.equal((await change()).value, true, what)
        assert.equal((await change()).value, false, what)
      })
      assert.deepEqual(events, [{ type: 'rules', reader: ann }], what)
      const { mutes, hides } = await store.rules(ann)
      seen.push([[...mutes], [...hides]])
    }
    assert.deepEqual(seen, [
      [[bob], []],
      [[bob], [post.id]],
      [[], [post.id]],
      [[], []]
    ])
    assert.equal((await store.rules(bob)).mutes.size, 0)
  })

  test(`${name}: many follows at once`, async t => {
    await using store = await make(t)
    const [ann, bob, cid, dan] = await people(store, 'ann', 'bob', 'cid', 'dan')
    await store.follow(ann, bob)
    await store.follow(ann, cid)
    await store.unfollow(ann, cid)
    await store.block(dan, ann)
    const pairs = [bob, cid, dan, ann, cid].map(author => ({ reader: ann, author }))
    const events = await eventsOf(store, async () => {
      const added = await store.followMany([...pairs, { reader: cid, author: bob }])
      assert.deepEqual(added, [
        { reader: ann, author: cid },
        { reader: cid, author: bob }
      ])
    })
    const hints = events.filter(event => event.type === 'relation')
    assert.deepEqual(
      hints,
      sorted([
        { type: 'relation', author: cid, reader: ann },
        { type: 'relation', author: bob, reader: cid }
      ])
    )
    for (const reader of [ann, cid])
      assert.ok(events.some(event => event.type === 'rules' && event.reader === reader))
    assert.equal((await store.rules(ann)).cuts.size, 0)
    assert.deepEqual(await store.followMany([]), [])
    await flush(store)
    assert.deepEqual(await countsOf(store, bob), { followers: 2, following: 0, posts: 0 })
    assert.deepEqual(await countsOf(store, ann), { followers: 0, following: 2, posts: 0 })
  })

  test(`${name}: lists of users go on from a position, newest first`, async t => {
    await using store = await make(t)
    const [ann, ...others] = await people(store, 'ann', ...'abcdefg')
    for (const other of others) {
      await store.follow(other!, ann)
      await store.follow(ann, other!)
      await store.mute(ann, other!)
    }
    const newest = others.toReversed()
    for (const list of ['followers', 'following', 'mutes'] as const)
      for (const limit of [1, 3, 100]) assert.deepEqual(await walk(store, list, ann, limit), newest)
    const slice = await store.followerSlice(ann, 0, 3)
    const rest = await store.followerSlice(ann, slice[2]!, 100)
    assert.deepEqual([...slice, ...rest], ascending(others as number[]))
    assert.deepEqual(await store.followerSlice(ann, rest.at(-1)!, 100), [])
    await store.setStatus(others[2]!, 'suspended')
    await store.setStatus(others[4]!, 'gone')
    const shown = newest.filter(other => other !== others[2] && other !== others[4])
    assert.deepEqual(await walk(store, 'followers', ann, 2), shown)
    for (const other of others) await store.block(ann, other!).catch(() => undefined)
    assert.deepEqual(await walk(store, 'blocks', ann, 2), shown)
  })

  test(`${name}: which pairs are follows, in their order`, async t => {
    await using store = await make(t)
    const [ann, bob, cid] = await people(store, 'ann', 'bob', 'cid')
    await store.follow(ann, bob)
    await store.follow(cid, ann)
    const pairs = [
      [bob, ann],
      [ann, bob],
      [ann, cid],
      [cid, ann],
      [ann, bob]
    ] as const
    const found = await store.follows(pairs.map(([reader, author]) => ({ reader, author })))
    assert.deepEqual(found, [false, true, false, true, true])
    assert.deepEqual(await store.follows([]), [])
  })

  test(`${name}: a cut ages from when it was seen, and is removed only if it is the same`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const pair = { reader: ann, author: bob }
    await store.follow(ann, bob)
    await store.unfollow(ann, bob)
    assert.deepEqual(await store.ripeCuts(0, 10), [])
    await store.stampCuts([pair, { reader: bob, author: ann }])
    const [old, ...none] = await store.ripeCuts(0, 10)
    assert.deepEqual(none, [])
    assert.deepEqual({ reader: old?.reader, author: old?.author }, pair)
    assert.deepEqual(await store.ripeCuts(3_600_000, 10), [])
    await store.follow(ann, bob)
    assert.deepEqual(await store.ripeCuts(0, 10), [])
    await store.unfollow(ann, bob)
    assert.deepEqual(await store.ripeCuts(0, 10), [])
    assert.equal(await store.removeCut(old!), false)
    assert.deepEqual([...(await store.rules(ann)).cuts], [bob])
    await store.stampCuts([pair])
    const [cut] = await store.ripeCuts(0, 10)
    assert.notEqual(cut?.version, old?.version)
    const events = await eventsOf(store, async () => {
      assert.equal(await store.removeCut(cut!), true)
      assert.equal(await store.removeCut(cut!), false)
    })
    assert.deepEqual(events, [{ type: 'rules', reader: ann }])
    assert.equal((await store.rules(ann)).cuts.size, 0)
  })

  test(`${name}: a refused relation does not use up its key`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    await store.block(bob, ann)
    await refuses(store.follow(ann, bob, key(ann)), 'blocked')
    await store.unblock(bob, ann)
    assert.deepEqual(await store.follow(ann, bob, key(ann)), { value: true, replayed: false })
    await store.unfollow(ann, bob, key(ann, 'other'))
    assert.deepEqual(await store.follow(ann, bob, key(ann)), { value: true, replayed: true })
    assert.equal(await isFollow(store, ann, bob), false)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => store.mute(ann, bob, key(ann, 'mute')))
    )
    assert.ok(answers.every(({ value }) => value))
    assert.equal(answers.filter(({ replayed }) => !replayed).length, 1)
  })

  test(`${name}: a follow and a block at the same time never both stand`, async t => {
    await using store = await make(t)
    const readers = await people(store, ...Array.from({ length: 40 }, (_, at) => `r${at}`))
    const [bob] = await people(store, 'bob')
    const races = readers.map((reader, at) => {
      const pair = [store.follow(reader!, bob), store.block(bob, reader!)]
      return Promise.allSettled(at % 2 === 0 ? pair : pair.toReversed())
    })
    await Promise.all(races)
    assert.deepEqual(await store.followerSlice(bob, 0, 100), [])
    assert.deepEqual(await walk(store, 'followers', bob), [])
    assert.equal((await store.rules(bob)).blocks.size, 40)
    await flush(store)
    assert.equal((await countsOf(store, bob))?.followers, 0)
  })

  test(`${name}: races of follow, unfollow and block leave all sides and counts alike`, async t => {
    await using store = await make(t)
    const users = await people(store, 'ann', 'bob', 'cid')
    const pairs = users.flatMap(reader =>
      users.filter(author => author !== reader).map(author => ({ reader, author }))
    )
    const actions = [
      (reader: number, author: number) => store.follow(reader, author),
      (reader: number, author: number) => store.unfollow(reader, author),
      (reader: number, author: number) => store.follow(reader, author),
      (reader: number, author: number) => store.followMany([{ reader, author }, ...pairs]),
      (reader: number, author: number) => store.block(reader, author),
      (reader: number, author: number) => store.unblock(reader, author)
    ]
    for (let round = 0; round < 4; round++) {
      const races = Array.from({ length: 50 }, (_, at) => {
        const { reader, author } = pairs[(at * 5 + round) % pairs.length]!
        return actions[(at * 7 + (at >> 2)) % actions.length]!(reader, author)
      })
      for (const race of await Promise.allSettled(races))
        if (race.status === 'rejected') await refuses(Promise.reject(race.reason), 'blocked')
      await flush(store)
      for (const { reader, author } of pairs) {
        const [first, ...others] = await sides(store, reader, author)
        assert.ok(others.every(side => side === first))
        const rules = await store.rules(reader)
        if (first) assert.ok(!rules.blocks.has(author) && !rules.cuts.has(author))
      }
      for (const user of users) {
        const following = (await walk(store, 'following', user)).length
        const followers = (await walk(store, 'followers', user)).length
        assert.deepEqual(await countsOf(store, user), { followers, following, posts: 0 })
      }
    }
  })
}
