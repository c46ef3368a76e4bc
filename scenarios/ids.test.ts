// Ids that differ by 1, from the first moment to a far one: text order is number order, through every list and merge.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { PostId } from '@fanwise/sdk'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import { FIRST_MS, makePostId, shardOfAuthor } from '../packages/server/src/domain/post-id.ts'
import { startServer } from '../testkit/server.ts'
import { walk } from '../testkit/walk.ts'
import { BEHIND_API } from './modes.ts'
import { following, postMany, scenario, type World, walkHome } from './world.ts'

const YEAR_2100 = Date.UTC(2100, 0, 1)
const newestFirst = (...lists: (readonly PostId[])[]) => lists.flat().sort().reverse()
const idsOf = ({ items }: { items: readonly { id: PostId }[] }) => items.map(({ id }) => id)

/** Posts of an author with neighbouring ids, written as a clock of that time makes them, and their events. */
async function neighbours(world: World, author: string, ms: number, count: number) {
  return withClient(world.databaseUrl, async client => {
    const sql = 'select number::int from users where id = $1'
    const { rows } = await client.query<{ number: number }>(sql, [author])
    const number = rows[0]?.number ?? 0
    const shard = shardOfAuthor(number)
    const ids = Array.from({ length: count }, (_, n) => makePostId(ms, shard, 2000 + n))
    await client.query(
      `insert into posts (shard, id, author, content)
       select $1, id, $2, 'neighbour' from unnest($3::bigint[]) id`,
      [shard, number, ids]
    )
    await client.query(
      `insert into outbox (aggregateid, type, lane, payload)
       select $1::bigint::text, 'post', lane_of_author($1::bigint),
         jsonb_build_object('type', 'post', 'author', $1::bigint, 'post', id::text)
       from unnest($2::bigint[]) id`,
      [number, ids]
    )
    return ids
  })
}

for (const [how, threshold] of [
  ['pushed', '1000'],
  ['merged on read', '2']
] as const)
  scenario(
    `ID-02: ids that a double cannot tell apart keep their order, ${how}`,
    { modes: BEHIND_API, settings: { threshold }, limits: { graceMs: 20 } },
    async world => {
      await following(world, 'v', 'a', 'b')
      for (const author of ['a', 'b']) await following(world, 'w', author)
      const now = await postMany(world, 'a', 2)
      await walkHome(world, 'v')
      await world.settle()
      const ids = newestFirst(
        await neighbours(world, 'a', YEAR_2100, 9),
        await neighbours(world, 'b', YEAR_2100, 9),
        await neighbours(world, 'a', Date.now() - 60_000, 9),
        now
      )
      assert.equal(Number(ids[0]), Number(ids[1]), 'one double')
      for (const state of ['pushed', 'evicted', 'rebuilt']) {
        await world.settle()
        if (state === 'evicted') await world.evict()
        for (const limit of [1, 7]) assert.deepEqual(await walkHome(world, 'v', limit), ids, state)
      }
      const [top = '', next = ''] = ids
      assert.deepEqual(idsOf(await world.as('v').feed({ before: top, limit: 1 })), [next])
      assert.deepEqual(idsOf(await world.as('v').feed({ after: next, limit: 5 })), [top])
      assert.deepEqual(
        idsOf(await world.as('v').feed({ after: ids[3] ?? '', before: top })),
        ids.slice(1, 3)
      )
      assert.equal((await world.as('v').newer({ after: ids[8] ?? '' })).count, 8)
      await world.as('v').hide(next)
      assert.deepEqual(await walkHome(world, 'v', 3), [top, ...ids.slice(2)])
      await world.as('v').unhide(next)
      assert.equal((await world.as('v').getPost(next)).id, next)
      assert.equal((await world.admin.verify('v')).differences, 0)
    }
  )

test('ID-a1: no body has an id that is a number, and no id is lost on its way through JSON', async t => {
  const server = await startServer(t)
  const v = server.client('v')
  await server.client('a').createPost({ content: 'x' })
  await v.follow('a')
  const { id } = await v.createPost({ content: 'own' })
  await v.like(id)
  await server.admin.settle()
  const user = { authorization: `Bearer ${await server.token('v')}` }
  const admin = { authorization: `Bearer ${server.serverKey}` }
  const asked: [string, Record<string, string>][] = [
    ...['feed', `feed/newer?after=${id}`, `posts/${id}`, `posts/${id}/delivery`].map(p => [
      p,
      user
    ]),
    ...['users/v/posts', 'users/v', 'users/a/followers'].map(p => [p, user]),
    ...['admin/stats', `admin/feeds/v/explain?post=${id}`, 'admin/feeds/v/verify'].map(p => [
      p,
      admin
    ])
  ] as [string, Record<string, string>][]
  for (const [path, headers] of asked) {
    const answer = await fetch(`${server.url}/v1/${path}`, { headers })
    const body = await answer.text()
    assert.equal(answer.status, 200, `${path}: ${body}`)
    assert.doesNotMatch(body, /[^"\d.]\d{16,}/, path)
    // What a program without big numbers makes of it is what was sent.
    assert.equal(JSON.stringify(JSON.parse(body)), body, path)
  }
})

scenario(
  'ID-a2: from the first moment that has ids until now, text order is time order',
  { modes: BEHIND_API },
  async world => {
    await following(world, 'v', 'a', 'b')
    const times = [FIRST_MS, FIRST_MS + 1, 999_999_999_999, 1_000_000_000_000, Date.now() - 1000]
    const { postIds } = await world.admin.batch({
      posts: times.map((at, n) => ({
        author: n % 2 === 0 ? 'a' : 'b',
        content: `${n}`,
        createdAt: new Date(at).toISOString()
      }))
    })
    assert.ok(postIds.every(id => /^[1-9][0-9]{18}$/.test(id)))
    assert.deepEqual(
      postIds,
      postIds.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
    )
    const ids = newestFirst(postIds)
    for (const state of ['settled', 'evicted', 'rebuilt']) {
      await world.settle()
      if (state === 'evicted') await world.evict()
      assert.deepEqual(await walk(query => world.as('v').feed(query), 2), ids, state)
      const { items } = await world.as('v').feed()
      assert.deepEqual(
        items.map(({ createdAt }) => Date.parse(createdAt)),
        times.toReversed()
      )
      assert.deepEqual(
        idsOf(await world.as('v').feed({ after: ids.at(-1) ?? '' })),
        postIds.slice(1)
      )
    }
    const before = { createdAt: new Date(FIRST_MS - 1).toISOString() }
    await assert.rejects(world.admin.batch({ posts: [{ author: 'a', content: 'x', ...before }] }), {
      code: 'time_out_of_range'
    })
    const [id = ''] = ids
    const beyond = '9223372036854775808'
    for (const wrong of [id.slice(1), `${id}0`, `0${id}`, `+${id}`, beyond, `${id}.0`, '1e18'])
      await assert.rejects(world.as('v').feed({ after: wrong }), { code: 'invalid_cursor' }, wrong)
  }
)
