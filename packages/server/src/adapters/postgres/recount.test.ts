import assert from 'node:assert/strict'
import test from 'node:test'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { BEGINNING } from '../../domain/post-id.ts'
import type { Store } from '../../ports/store.ts'
import { countsOf, flush, people, publish } from '../../ports/store-fixtures.conformance.ts'
import { withClient } from './bundled/with-client.ts'
import { createPostgresStore } from './store.ts'

function run(url: string, sql: string): Promise<unknown> {
  return withClient(url, client => client.query(sql))
}

async function correct(store: Store): Promise<number> {
  const likes = await store.recountLikes(BEGINNING, 1000)
  const users = await store.recountUsers(0, 1000)
  return likes.corrected + users.corrected
}

test('CT-03: counts that were changed by hand are corrected while likes arrive, and once', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const fans = await people(store, ...Array.from({ length: 100 }, (_, n) => `fan${n}`))
  const [ann] = await people(store, 'ann')
  const [post, quiet] = [await publish(store, ann), await publish(store, ann)]
  const like = (some: readonly number[]) => Promise.all(some.map(fan => store.like(fan, post)))
  await like(fans.slice(0, 40))
  await store.like(ann, quiet)
  await store.follow(fans[0]!, ann)
  await flush(store)
  await run(
    url,
    `update post_counts set likes = likes + 7 where post = ${post};
     delete from post_counts where post = ${quiet};
     update users set followers_count = -3, posts_count = 9 where number = ${ann}`
  )
  const flushing = async () => {
    for (let times = 0; times < 20; times++) await store.flushCounts(2)
  }
  const corrections = Promise.all(Array.from({ length: 10 }, () => correct(store)))
  await Promise.all([like(fans.slice(40)), flushing(), corrections])
  // Whatever a flush forestalled is found by the next round.
  const late = await correct(store)
  const corrected = (await corrections).reduce((sum, n) => sum + n, late)
  assert.equal(corrected, 3)
  await flush(store)
  assert.equal(await correct(store), 0)
  const counts = await store.likeCounts([post, quiet])
  assert.deepEqual([counts.get(post), counts.get(quiet)], [100, 1])
  assert.deepEqual(await countsOf(store, ann), { followers: 1, following: 0, posts: 2 })
})

test('CT-03: wrong counts of some users and posts are told, and corrected for them alone', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann, bob] = await people(store, 'ann', 'bob')
  const posts = [await publish(store, ann), await publish(store, bob), await publish(store, bob)]
  const [first, second, third] = posts as [string, string, string]
  await store.follow(bob, ann)
  await store.like(bob, first)
  await flush(store)
  await store.like(ann, first)
  await run(
    url,
    `insert into post_counts (shard, post, likes) select shard, id, 5 from posts
       where id = ${second} or id = ${third};
     update post_counts set likes = 9 where post = ${first};
     update users set followers_count = 4, posts_count = 0`
  )
  const wrong = await store.wrongCounts([ann], [first, second])
  const of = (what: string) => wrong.find(one => one.of === what)
  assert.equal(wrong.length, 4)
  const user = { user: ann, post: null }
  assert.deepEqual(of('followers'), { of: 'followers', ...user, shown: 4, counted: 1 })
  assert.deepEqual(of('posts'), { of: 'posts', ...user, shown: 0, counted: 1 })
  const likes = wrong.filter(one => one.of === 'likes')
  assert.deepEqual(new Set(likes.map(({ post }) => post)), new Set([first, second]))
  const ofFirst = likes.find(one => one.post === first)
  assert.deepEqual([ofFirst?.shown, ofFirst?.counted], [9, 1], 'one delta waits')
  assert.equal(await store.recountThese([ann], [first, second]), 3)
  assert.deepEqual(await store.wrongCounts([ann], [first, second]), [])
  assert.equal((await store.wrongCounts([bob], [third])).length, 3)
  await flush(store)
  assert.equal((await store.likeCounts([first])).get(first), 2)
})

test('CT-03: a count that a flush moves meanwhile is left to the next round', async t => {
  const url = await testDatabase(t)
  await using store = await createPostgresStore({ url })
  const [ann, bob] = await people(store, 'ann', 'bob')
  const post = await publish(store, ann)
  await store.like(ann, post)
  await flush(store)
  await store.like(bob, post)
  await run(url, 'update post_counts set likes = 5')
  await withClient(url, async client => {
    await client.query('begin')
    await client.query(`update post_counts set likes = likes + 1 where post = ${post}`)
    await client.query('delete from like_deltas')
    const recount = store.recountLikes(BEGINNING, 10)
    await waiting(url)
    await client.query('commit')
    assert.equal((await recount).corrected, 0)
  })
  assert.equal((await store.recountLikes(BEGINNING, 10)).corrected, 1)
  assert.equal((await store.likeCounts([post])).get(post), 2)
})

/** Until some session waits for a lock. */
function waiting(url: string): Promise<void> {
  return withClient(url, async client => {
    const sql = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    while ((await client.query(sql)).rowCount === 0);
  })
}
