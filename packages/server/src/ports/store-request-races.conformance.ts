import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../testkit/runs.ts'
import { Problem } from '../domain/errors.ts'
import type { Relation, Store } from './store.ts'
import { countsOf, flush, type MakeStore, people, walk } from './store-fixtures.conformance.ts'
import { acceptAll } from './store-requests.conformance.ts'

const RUNS = 12
const NAMES = ['ann', 'bob', 'cid', 'dan']

const step = fc.record({
  does: fc.constantFrom(
    ...(['follow', 'follow', 'unfollow', 'block', 'unblock', 'acceptRequest'] as const),
    ...(['acceptRequest', 'rejectRequest', 'removeFollower', 'followMany'] as const),
    ...(['public', 'private', 'acceptOpened'] as const)
  ),
  one: fc.nat(NAMES.length - 1),
  other: fc.nat(NAMES.length - 1)
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** What rules between people refuse. */
const REFUSALS = ['blocked', 'request_not_found']

function start(store: Store, users: readonly number[], prefix: string, { does, one, other }: Step) {
  const [a = 0, b = 0] = [users[one], users[other]]
  switch (does) {
    case 'public':
    case 'private':
      return store.putUser(`${prefix}${NAMES[one]}`, { visibility: does })
    case 'acceptOpened':
      return store.acceptOpened(2, a)
    case 'followMany':
      return store.followMany([{ reader: a, author: b }])
    default:
      return a === b ? undefined : store[does](a, b)
  }
}

/** What every row of a pair says, from all sides. */
async function checkPair(store: Store, { reader, author }: Relation): Promise<void> {
  const [follows] = await store.follows([{ reader, author }])
  const rules = await store.rules(reader)
  const has = async (list: Parameters<typeof walk>[1], owner: number, user: number) =>
    (await walk(store, list, owner)).includes(user)
  assert.equal(await has('following', reader, author), follows)
  assert.equal(await has('followers', author, reader), follows)
  const asked = await has('requests', author, reader)
  assert.equal(await has('requested', reader, author), asked)
  const blocked = rules.blocks.has(author)
  assert.ok(!(follows && asked), 'who follows asks for nothing')
  assert.ok(!(blocked && (follows || asked)), 'nothing stands over a block')
  assert.ok(!(follows && rules.cuts.has(author)), 'a follow has no cut')
  const [user] = await store.usersByNumbers([author])
  assert.ok(!asked || user?.visibility === 'private', 'nobody waits for a public account')
}

async function checkRows(store: Store, users: readonly number[]): Promise<void> {
  await acceptAll(store)
  await flush(store)
  for (const reader of users)
    for (const author of users) if (reader !== author) await checkPair(store, { reader, author })
  for (const user of users) {
    const following = (await walk(store, 'following', user)).length
    const followers = (await walk(store, 'followers', user)).length
    assert.deepEqual(await countsOf(store, user), { followers, following, posts: 0 })
  }
}

export function requestRaces(name: string, make: MakeStore): void {
  test(`${name}: races of requests, decisions, blocks and visibility leave all sides alike`, async t => {
    await using store = await make(t)
    let run = 0
    const bursts = fc.array(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), {
      minLength: 1,
      maxLength: 3
    })
    await fc.assert(
      fc.asyncProperty(bursts, async all => {
        const prefix = `r${run++}.`
        const numbers = await people(store, ...NAMES.map(of => prefix + of))
        for (const steps of all) {
          const races = steps.map(async one => start(store, numbers, prefix, one))
          for (const race of await Promise.allSettled(races)) {
            if (race.status === 'fulfilled') continue
            assert.ok(race.reason instanceof Problem, String(race.reason))
            assert.ok(REFUSALS.includes(race.reason.code), race.reason.code)
          }
          await checkRows(store, numbers)
        }
      }),
      runs(RUNS)
    )
  })

  test(`${name}: who asks while an account turns public is never left waiting`, async t => {
    await using store = await make(t)
    const [bob] = await people(store, 'bob')
    const readers = await people(store, ...Array.from({ length: 60 }, (_, at) => `r${at}`))
    await store.putUser('bob', { visibility: 'private' })
    const races: Promise<unknown>[] = readers.map(reader => store.follow(reader!, bob))
    races.splice(30, 0, store.putUser('bob', { visibility: 'public' }))
    await Promise.all(races)
    await acceptAll(store, 7)
    assert.equal((await walk(store, 'followers', bob)).length, 60)
    assert.deepEqual(await walk(store, 'requests', bob), [])
    await flush(store)
    assert.equal((await countsOf(store, bob))?.followers, 60)
  })

  test(`${name}: an accept and a block at the same time never both stand`, async t => {
    await using store = await make(t)
    const [bob] = await people(store, 'bob')
    const readers = await people(store, ...Array.from({ length: 40 }, (_, at) => `r${at}`))
    await store.putUser('bob', { visibility: 'private' })
    for (const reader of readers) await store.follow(reader!, bob)
    const races = readers.map((reader, at) => {
      const pair = [
        () => store.acceptRequest(bob, reader!),
        () => (at % 4 < 2 ? store.block(bob, reader!) : store.block(reader!, bob))
      ]
      return Promise.allSettled((at % 2 === 0 ? pair : pair.toReversed()).map(run => run()))
    })
    await Promise.all(races)
    assert.deepEqual(await store.followerSlice(bob, 0, 100), [])
    assert.deepEqual(await walk(store, 'requests', bob), [])
    await flush(store)
    assert.equal((await countsOf(store, bob))?.followers, 0)
  })
}
