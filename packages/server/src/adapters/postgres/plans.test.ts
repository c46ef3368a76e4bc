// Reads and jobs find their rows by indexes, however large the tables are.
import assert from 'node:assert/strict'
import test from 'node:test'
import { testDatabase } from '../../../../../testkit/postgres.ts'
import { BEGINNING, END } from '../../domain/post-id.ts'
import type { Store } from '../../ports/store.ts'
import { people } from '../../ports/store-fixtures.conformance.ts'
import { withClient } from './bundled/with-client.ts'
import { createPostgresStore } from './store.ts'

/** `v` follows 200 of 20,000 users, of whom 10 post, and blocks 200; everybody else does something too. */
const FILL = `
  insert into users (id) select 'u' || n from generate_series(1, 20000) n;
  insert into posts (shard, id, author, content)
  select shard_of_author(number), make_post_id(shard_of_author(number)), number, 'x'
  from users, generate_series(1, 10) where number % 2000 = 101;
  insert into posts (shard, id, author, content)
  select shard_of_author(2), make_post_id(shard_of_author(2)), 2, 'loud'
  from generate_series(1, 12000);
  insert into follows (follower, followee)
  select 1, number from users where number % 100 = 1 and number > 1
  union all select number, 3 from users where number > 5000
  union all select number, number % 50 + 4 from users where number > 5000;
  insert into followers (followee, follower, seq) select followee, follower, seq from follows;
  insert into blocks (reader, author)
  select 1, number from users where number % 100 = 2
  union all select number, number - 1 from users where number > 5000;
  insert into likes (user_number, post) select n % 40 + 1, id from posts, generate_series(1, 3) n;
  insert into hides (reader, post)
  select 1, id from posts where id % 100 = 0 union all select 7, id from posts;`

/** Tables that grow without bound per user; that of the users is small here, and read whole for good reason. */
const LARGE = ['posts', 'follows', 'followers', 'likes', 'blocks', 'hides']

/** How often each large table was read from end to end, by everybody who has left. */
async function wholeReads(url: string): Promise<Record<string, number>> {
  const sql = `select relname, seq_scan::int as scans from pg_stat_user_tables where relname = any($1)`
  const { rows } = await withClient(url, client =>
    client.query<{ relname: string; scans: number }>(sql, [LARGE])
  )
  return Object.fromEntries(rows.map(({ relname, scans }) => [relname, scans]))
}

async function withStore(url: string, work: (store: Store) => Promise<void>): Promise<void> {
  await using store = await createPostgresStore({ url, poolMax: 1 })
  await work(store)
}

test('ME-06, ME-07: no page of a sparse or heavy reader and no job reads a table from end to end', async t => {
  const url = await testDatabase(t)
  const v = 1
  await withStore(url, async store => assert.deepEqual(await people(store, 'v'), [v]))
  await withClient(url, async client => {
    await client.query(FILL)
    await client.query('vacuum analyze')
  })
  const before = await wholeReads(url)
  assert.equal(Object.keys(before).length, LARGE.length)
  const works: Record<string, (store: Store) => Promise<unknown>> = {
    'the newest page': store => store.homeIds(v, END, 20),
    'a deep page': store => store.homeIds(v, '3000000000000000000', 20),
    'a page upwards': store => store.newerHomeIds(v, BEGINNING, 20),
    'a timeline': store => store.idsByAuthor(2, END, BEGINNING, 20),
    rules: store => store.rules(v),
    'a page of followers': store => store.members('followers', 3, null, 20),
    'a slice of followers': store => store.followerSlice(3, 0, 1000),
    'likes of a reader': async store => store.likedBy(1, await store.homeIds(v, END, 20)),
    'posts by ids': async store => store.postsByIds(await store.homeIds(v, END, 20)),
    'counts of likes': async store => store.likeCounts(await store.homeIds(v, END, 20)),
    'a step of a recount of likes': store => store.recountLikes(BEGINNING, 100),
    'a step of a recount of users': store => store.recountUsers(1500, 20),
    'a flush': store => store.flushCounts(100),
    cleaning: store => store.cleanGone(100)
  }
  for (const [name, work] of Object.entries(works)) {
    await withStore(url, async store => {
      await work(store)
    })
    assert.deepEqual(await settled(url, before), before, name)
  }
})

/** A session tells its numbers as it ends, which its client does not wait for. */
async function settled(url: string, before: Record<string, number>) {
  await withClient(url, async client => {
    const others = `select from pg_stat_activity
      where datname = current_database() and application_name = 'fanwise'`
    while ((await client.query(others)).rowCount !== 0);
  })
  const now = await wholeReads(url)
  assert.deepEqual(Object.keys(now).sort(), Object.keys(before).sort())
  return now
}
