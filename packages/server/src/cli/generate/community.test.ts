import assert from 'node:assert/strict'
import test from 'node:test'
import { generateCommunity } from './community.ts'

const OPTIONS = {
  seed: 7,
  users: 300,
  posts: 2000,
  follows: 20,
  likes: 500,
  days: 30,
  now: 1_750_000_000_000
}

test('equal options give equal communities, another seed another one', () => {
  const first = [...generateCommunity(OPTIONS)]
  assert.deepEqual([...generateCommunity(OPTIONS)], first)
  assert.notDeepEqual([...generateCommunity({ ...OPTIONS, seed: 8 })], first)
})

test('follows have a power law: few are followed by many', () => {
  const batches = [...generateCommunity(OPTIONS)]
  const counts = new Map<string, number>()
  for (const { follows = [] } of batches)
    for (const { follower, followee } of follows) {
      assert.notEqual(follower, followee)
      counts.set(followee, (counts.get(followee) ?? 0) + 1)
    }
  const sorted = [...counts.values()].sort((a, b) => b - a)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  assert.ok((sorted[0] ?? 0) > 8 * median, `${sorted[0]} against a median of ${median}`)
})

test('posts lie in their days, in order, by known people, with ids of their own', () => {
  const batches = [...generateCommunity(OPTIONS)]
  const people = new Set(batches.flatMap(({ users = [] }) => users.map(({ id }) => id)))
  const posts = batches.flatMap(batch => batch.posts ?? [])
  assert.equal(people.size, 300)
  assert.equal(posts.length, 2000)
  assert.equal(new Set(posts.map(({ externalId }) => externalId)).size, 2000)
  const times = posts.map(({ createdAt = '' }) => Date.parse(createdAt))
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b)
  )
  assert.ok((times[0] ?? 0) >= OPTIONS.now - 30 * 86_400_000 - 1000)
  assert.ok((times.at(-1) ?? 0) < OPTIONS.now)
  for (const { author } of posts) assert.ok(people.has(author))
})
