import assert from 'node:assert/strict'
import test from 'node:test'
import {
  ascending,
  eventsOf,
  key,
  type MakeStore,
  people,
  refuses
} from './store-fixtures.conformance.ts'

export function usersConformance(name: string, make: MakeStore): void {
  test(`${name}: users are made once, with an empty profile`, async t => {
    await using store = await make(t)
    const batches = Array.from({ length: 10 }, (_, at) => ['ann', `u${at % 3}`, 'bob'])
    const made = (await Promise.all(batches.map(ids => store.ensureUsers(ids)))).flat()
    const numbers = new Map(made.map(user => [user.id, user.number]))
    assert.equal(made.length, 30)
    assert.equal(numbers.size, 5)
    assert.equal(new Set(made.map(user => user.number)).size, 5)
    const [ann] = await store.usersByIds(['ann', 'nobody'])
    const { createdAt, ...rest } = ann!
    assert.ok(Number.isInteger(createdAt))
    assert.deepEqual(rest, {
      number: numbers.get('ann'),
      id: 'ann',
      name: null,
      avatar: null,
      attributes: {},
      visibility: 'public',
      version: 1,
      status: 'active',
      counts: { followers: 0, following: 0, posts: 0 }
    })
    assert.deepEqual(await store.usersByNumbers([ann!.number, 999_999]), [ann])
    assert.equal((await store.ensureUsers(['ann', 'ann'])).length, 1)
  })

  test(`${name}: a profile changes field by field`, async t => {
    await using store = await make(t)
    const first = await store.putUser('ann', { name: 'Ann', attributes: { likes: ['tea'] } })
    const second = await store.putUser('ann', { avatar: 'a.png' })
    const third = await store.putUser('ann', { name: null })
    const { name: called, avatar, attributes } = third.value
    assert.deepEqual(
      { called, avatar, attributes },
      {
        called: null,
        avatar: 'a.png',
        attributes: { likes: ['tea'] }
      }
    )
    assert.ok(first.value.version < second.value.version)
    assert.ok(second.value.version < third.value.version)
    const { number } = third.value
    assert.deepEqual(await store.usersByNumbers([number]), [third.value])
    const events = await eventsOf(store, () => store.putUser('ann', { name: 'Anna' }))
    assert.deepEqual(events, [{ type: 'user', author: number }])
    assert.deepEqual(await eventsOf(store, () => store.putUser('ann', { name: 'Anna' })), [])
    assert.equal((await store.putUser('ann', {})).value.version, third.value.version + 1)
  })

  test(`${name}: users put at the same time are one user`, async t => {
    await using store = await make(t)
    const names = Array.from({ length: 10 }, (_, at) => `Ann ${at}`)
    const puts = await Promise.all(names.map(given => store.putUser('ann', { name: given })))
    assert.equal(new Set(puts.map(({ value }) => value.number)).size, 1)
    assert.equal(new Set(puts.map(({ value }) => value.version)).size, 10)
    assert.deepEqual(
      puts.map(({ value }) => value.name),
      names
    )
  })

  test(`${name}: many users at once`, async t => {
    await using store = await make(t)
    await people(store, 'ann')
    const changes = [
      { id: 'ann', name: 'Ann' },
      { id: 'bob', name: 'Bob' },
      { id: 'cid' },
      { id: 'bob', avatar: 'b.png' }
    ]
    const events = await eventsOf(store, async () =>
      assert.deepEqual(await store.putUsers(changes), { created: 2 })
    )
    assert.equal(events.length, 3)
    assert.deepEqual(await eventsOf(store, () => store.putUsers(changes)), [])
    const [bob] = await store.usersByIds(['bob'])
    assert.deepEqual([bob?.name, bob?.avatar], ['Bob', 'b.png'])
    assert.equal((await store.usersByIds(['ann']))[0]?.name, 'Ann')
    assert.deepEqual(await store.putUsers([]), { created: 0 })
  })

  test(`${name}: a suspension can be lifted, gone is final`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const events = await eventsOf(store, async () => {
      const { value } = await store.setStatus(ann, 'suspended')
      assert.deepEqual([value.status, value.version], ['suspended', 2])
      await store.setStatus(ann, 'suspended')
      assert.equal((await store.setStatus(ann, 'active')).value.status, 'active')
    })
    assert.deepEqual(events, Array(2).fill({ type: 'user', author: ann }))
    assert.equal((await store.setStatus(ann, 'gone')).value.status, 'gone')
    assert.equal((await store.setStatus(ann, 'gone')).value.status, 'gone')
    await refuses(store.setStatus(ann, 'active'), 'account_gone')
    await refuses(store.putUser('ann', { name: 'Ann' }), 'account_gone')
    await refuses(store.setStatus(999_999, 'gone'), 'user_not_found')
    assert.deepEqual(await store.putUsers([{ id: 'ann', name: 'Ann' }]), { created: 0 })
    assert.deepEqual(
      (await store.usersByIds(['ann'])).map(u => [u.status, u.name]),
      [['gone', null]]
    )
  })

  test(`${name}: the list of users ascends and leaves out who is gone`, async t => {
    await using store = await make(t)
    const [ann, bob, cid, dan] = await people(store, 'ann', 'bob', 'cid', 'dan')
    await store.setStatus(bob, 'gone')
    await store.setStatus(cid, 'suspended')
    const expected = [ann, cid, dan].sort((a, b) => a - b)
    const [first, ...others] = await store.listUsers(0, 10)
    assert.deepEqual(
      [first, ...others].map(user => user?.number),
      expected
    )
    assert.deepEqual(await store.listUsers(0, 1), [first])
    assert.deepEqual(await store.listUsers(first!.number, 10), others)
    await store.touchReaders([ann, cid, 999_999])
    await store.touchReaders([])
  })

  test(`${name}: readers are sampled among active ones who were here`, async t => {
    await using store = await make(t)
    const [ann, bob, cid, dan, eve] = await people(store, 'ann', 'bob', 'cid', 'dan', 'eve')
    assert.deepEqual(await store.sampleReaders(60_000, 10), [])
    await store.touchReaders([ann, bob, cid, dan])
    await store.setStatus(cid, 'gone')
    await store.setStatus(dan, 'suspended')
    const seen = [ann, bob].sort((a, b) => a - b)
    assert.deepEqual(ascending(await store.sampleReaders(60_000, 10)), seen)
    assert.equal((await store.sampleReaders(60_000, 1)).length, 1)
    await store.touchReaders([eve])
    const found = new Set<number>()
    for (let times = 0; times < 60; times++)
      for (const reader of await store.sampleReaders(60_000, 1)) found.add(reader)
    assert.deepEqual(ascending(found), ascending([ann, bob, eve]), 'each at some time')
  })

  test(`${name}: changes of users repeat their answer under one key`, async t => {
    await using store = await make(t)
    const [ann] = await people(store, 'ann')
    const put = await store.putUser('ann', { name: 'Ann' }, key(ann, 'put'))
    await store.putUser('ann', { name: 'Other' })
    assert.deepEqual(await store.putUser('ann', { name: 'Ann' }, key(ann, 'put')), {
      value: put.value,
      replayed: true
    })
    const events = await eventsOf(store, async () => {
      await store.setStatus(ann, 'suspended', key(0, 'status'))
      await store.setStatus(ann, 'active')
      const again = await store.setStatus(ann, 'suspended', key(0, 'status'))
      assert.deepEqual([again.replayed, again.value.status], [true, 'suspended'])
    })
    assert.equal(events.length, 2)
    assert.equal((await store.usersByNumbers([ann]))[0]?.status, 'active')
  })
}
