import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { LoggedEvent } from '../../domain/event.ts'
import { END, timeOf } from '../../domain/post-id.ts'
import { storeConformance } from '../../ports/store.conformance.ts'
import type { Store } from '../../ports/store.ts'
import { createSystemClock } from '../system/clock.ts'
import { createMemoryStore } from './store.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'

const clocks = new WeakMap<Store, VirtualClock>()

storeConformance(
  'memory store',
  async (_, limits) => {
    const clock = createVirtualClock({ start: Date.now() })
    const store = createMemoryStore({ clock, ...(limits && { limits }) })
    clocks.set(store, clock)
    return store
  },
  { stepClock: (store, ms) => clocks.get(store)?.shift(ms) }
)

storeConformance('memory store with late commits', async (_, limits) => {
  const clock = createSystemClock()
  let turn = 0
  const commitDelay = () => [undefined, 1, 0, 2][turn++ % 4]
  return createMemoryStore({ clock, commitDelay, ...(limits && { limits }) })
})

/** A Store whose commits take the ms that `delays` holds, one after the other, then none. */
function delayed(...delays: (number | undefined)[]) {
  const clock = createVirtualClock()
  const store = createMemoryStore({ clock, commitDelay: () => delays.shift() })
  return { clock, store }
}

async function people(store: Store, count: number): Promise<number[]> {
  const ids = Array.from({ length: count }, (_, i) => `u${i}`)
  const users = await store.ensureUsers(ids)
  return users.map(({ number }) => number).sort((a, b) => a - b)
}

function say(author: number) {
  return { author, content: 'hello', attrs: {} }
}

async function waiting(store: Store): Promise<readonly LoggedEvent[]> {
  await using lanes = await store.openLanes()
  return lanes.unpublished(await lanes.claim(), 1000)
}

test('a transaction is invisible until its late commit, then visible as a whole', async () => {
  const { clock, store } = delayed(undefined, 100)
  const [ann = 0] = await people(store, 1)
  let woken = 0
  store.onOutbox(() => woken++)
  const published = store.publish(say(ann))
  await clock.advance(99)
  assert.deepEqual(await store.homeIds(ann, END, 10), [])
  assert.deepEqual(await waiting(store), [])
  assert.equal(woken, 0)
  await clock.advance(1)
  const { value } = await published
  assert.deepEqual(await store.homeIds(ann, END, 10), [value.post.id])
  assert.equal((await waiting(store)).length, 1)
  assert.equal(woken, 1)
  assert.equal(timeOf(value.post.id), clock.now() - 100, 'its id is from before the commit')
})

test('an earlier outbox number may become visible after a later one', async () => {
  const { clock, store } = delayed(undefined, 50, undefined)
  const [ann = 0, ben = 0] = await people(store, 2)
  const slow = store.publish(say(ann))
  const { value } = await store.publish(say(ben))
  const [first] = await waiting(store)
  assert.deepEqual(first?.event, { type: 'post', author: ben, post: value.post.id })
  await clock.runUntil(slow)
  const all = await waiting(store)
  assert.equal(all.length, 2)
  const late = all.find(({ event }) => event.type === 'post' && event.author === ann)
  assert.ok(Number(late?.id) < Number(first?.id))
})

test('writes of one pair wait for each other and see what the one before made', async () => {
  const { clock, store } = delayed(undefined, 50)
  const [ann = 0, ben = 0] = await people(store, 2)
  const followed = store.follow(ann, ben)
  const unfollowed = store.unfollow(ann, ben)
  const blocked = store.block(ben, ann)
  const again = store.follow(ann, ben)
  const results = await clock.runUntil(Promise.allSettled([followed, unfollowed, blocked, again]))
  const values = results.map(result => result.status === 'fulfilled' && result.value.value)
  assert.deepEqual(values, [true, true, true, false])
  assert.match(String(results[3]?.status), /rejected/)
  assert.deepEqual([...(await store.rules(ann)).cuts], [ben])
})

test('who asks under a key while the author turns private asks once', async () => {
  const { clock, store } = delayed(undefined, 10, 50)
  const [ann = 0, ben = 0] = await people(store, 2)
  const { id = '' } = (await store.usersByNumbers([ben]))[0] ?? {}
  const before = [store.putUser(id, { visibility: 'private' }), store.mute(ann, ben)]
  const ask = () => store.follow(ann, ben, { owner: ann, key: 'k', hash: 'h' })
  const asked = ask()
  await clock.runUntil(Promise.all(before))
  assert.deepEqual(await clock.runUntil(asked), { value: 'requested', replayed: false })
  assert.deepEqual(await clock.runUntil(ask()), { value: 'requested', replayed: true })
})

test('writes of different rows do not wait', async () => {
  const { clock, store } = delayed(undefined, 1000)
  const [ann = 0, ben = 0, eve = 0] = await people(store, 3)
  const slow = store.follow(ann, ben)
  assert.equal((await store.follow(eve, ben)).value, true)
  assert.deepEqual(await store.followerSlice(ben, 0, 10), [eve])
  await clock.runUntil(slow)
  assert.deepEqual(await store.followerSlice(ben, 0, 10), [ann, eve])
})

test('parallel requests with one key write once, also while the first has not committed', async () => {
  const { clock, store } = delayed(undefined, 30)
  const [ann = 0] = await people(store, 1)
  const key = { owner: ann, key: 'k', hash: 'h' }
  const all = Promise.all(Array.from({ length: 20 }, () => store.publish(say(ann), key)))
  const written = await clock.runUntil(all)
  assert.equal(new Set(written.map(({ value }) => value.post.id)).size, 1)
  assert.equal(written.filter(({ replayed }) => !replayed).length, 1)
  assert.equal((await store.homeIds(ann, END, 10)).length, 1)
})

test('a transaction that fails changes nothing and frees its rows', async () => {
  const { store } = delayed()
  const [ann = 0, ben = 0] = await people(store, 2)
  await store.block(ben, ann)
  const before = await waiting(store)
  await assert.rejects(store.follow(ann, ben, { owner: ann, key: 'k', hash: 'h' }), /blocks/)
  assert.deepEqual(await waiting(store), before)
  await store.unblock(ben, ann)
  const followed = await store.follow(ann, ben, { owner: ann, key: 'k', hash: 'h' })
  assert.deepEqual(followed, { value: true, replayed: false })
})

test('late commits in any order leave the same state as the answers tell', async () => {
  const step = fc.record({
    does: fc.constantFrom('follow', 'unfollow', 'block', 'unblock', 'mute'),
    reader: fc.integer({ min: 1, max: 3 }),
    author: fc.integer({ min: 1, max: 3 }),
    delay: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined })
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async all => {
      const steps = all.filter(({ reader, author }) => reader !== author)
      const { clock, store } = delayed(undefined, ...steps.map(({ delay }) => delay))
      await people(store, 3)
      const work = steps.map(({ does, reader, author }) => store[does](reader, author))
      await clock.runUntil(Promise.allSettled(work))
      for (const reader of [1, 2, 3]) {
        const rules = await store.rules(reader)
        const following = await store.members('following', reader, null, 10)
        for (const { user } of following) {
          assert.ok(!rules.blocks.has(user), 'nobody follows over a block')
          assert.ok(!rules.cuts.has(user), 'a follow has no cut')
          assert.ok((await store.followerSlice(user, 0, 10)).includes(reader))
        }
      }
      await clock.runUntil(store.flushCounts(1000))
      const counts = (await store.usersByNumbers([1, 2, 3])).map(({ counts }) => counts)
      const edges = (await store.stats()).follows
      const sum = (field: 'followers' | 'following') =>
        counts.reduce((total, count) => total + count[field], 0)
      assert.deepEqual([sum('followers'), sum('following')], [edges, edges])
    })
  )
})
