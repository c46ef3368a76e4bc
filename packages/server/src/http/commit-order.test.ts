// No answer before the commit: every write route, while commits wait, and while they fail.
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { Client } from 'pg'
import { startServer, type TestServer } from '../../../../testkit/server.ts'

const LOCK = 4242
const WRITTEN = [
  ...['posts', 'likes', 'follows', 'blocks', 'mutes', 'hides', 'follow_requests'],
  'idempotency_keys'
]

/** A switch in the database that makes every commit of a user's write wait for a lock, or fail. */
const SWITCH = `
  create table commit_switch (mode text not null);
  insert into commit_switch values ('go');
  create function at_commit() returns trigger language plpgsql as $$
  declare m text := (select mode from commit_switch);
  begin
    if m = 'fail' then raise exception using errcode = 'disk_full', message = 'no space'; end if;
    if m = 'wait' then perform pg_advisory_xact_lock_shared(${LOCK}); end if;
    return null;
  end $$;
  ${WRITTEN.map(table => trigger(table, 'insert or update or delete')).join(';')};
  ${trigger('users', 'insert or update of name, status, visibility')};`

function trigger(table: string, when: string): string {
  return `create constraint trigger at_commit after ${when} on ${table}
    deferrable initially deferred for each row execute function at_commit()`
}

/** All that users write, apart from what work in the background changes. */
const STATE = `select md5(concat_ws('|',
    (select string_agg(concat_ws(',', id, name, status, visibility), ';' order by id) from users),
    (select string_agg(id::text, ';' order by id) from outbox),
    ${WRITTEN.map(table => `(select string_agg(r::text, ';' order by r::text) from ${table} r)`).join()}
  )) as state`

interface Held {
  readonly sql: Client
  mode(to: 'go' | 'wait' | 'fail'): Promise<void>
  state(): Promise<string>
  /** Until a transaction waits at its commit. */
  commitWaits(): Promise<void>
}

async function holdCommits(t: TestContext, { databaseUrl }: TestServer): Promise<Held> {
  const sql = new Client(databaseUrl)
  await sql.connect()
  t.after(() => sql.end())
  await sql.query(SWITCH)
  return {
    sql,
    async mode(to) {
      await sql.query('update commit_switch set mode = $1', [to])
    },
    state: async () => (await sql.query<{ state: string }>(STATE)).rows[0]?.state ?? '',
    async commitWaits() {
      const waits = `select from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`
      while ((await sql.query(waits)).rowCount === 0);
    }
  }
}

type Request = readonly [method: string, path: string, body?: object | undefined, as?: string]

/** Each changes something when it comes to it in this order; `$p` is a post of ann. */
const WRITES: readonly Request[] = [
  ['PUT', '/v1/users/ann', { name: 'Ann' }],
  ['POST', '/v1/posts', { content: 'late' }],
  ['PATCH', '/v1/posts/$p', { content: 'changed' }],
  ['POST', '/v1/posts/$p/like', undefined, 'bob'],
  ['DELETE', '/v1/posts/$p/like', undefined, 'bob'],
  ['POST', '/v1/posts/$p/hide', undefined, 'bob'],
  ['DELETE', '/v1/posts/$p/hide', undefined, 'bob'],
  ['POST', '/v1/users/bob/follow'],
  ['DELETE', '/v1/users/bob/follow'],
  ['POST', '/v1/users/bob/mute'],
  ['DELETE', '/v1/users/bob/mute'],
  ['POST', '/v1/users/bob/block'],
  ['DELETE', '/v1/users/bob/block'],
  ['POST', '/v1/users/shy/follow'],
  ['POST', '/v1/follow-requests/ann/accept', undefined, 'shy'],
  ['DELETE', '/v1/users/shy/followers/ann', undefined, 'shy'],
  ['POST', '/v1/users/shy/follow', undefined, 'bob'],
  ['POST', '/v1/follow-requests/bob/reject', undefined, 'shy'],
  ['PUT', '/v1/users/shy', { visibility: 'public' }, 'shy'],
  ['POST', '/v1/batch', { follows: [{ follower: 'bob', followee: 'ann' }] }, ''],
  ['POST', '/v1/batch', { posts: [{ author: 'bob', content: 'imported' }] }, ''],
  ['POST', '/v1/batch', { users: [{ id: 'eve', name: 'Eve' }] }, ''],
  ['POST', '/v1/admin/users/bob/suspend', undefined, ''],
  ['POST', '/v1/admin/users/bob/unsuspend', undefined, ''],
  ['DELETE', '/v1/posts/$p'],
  ['DELETE', '/v1/users/me']
]

async function send(server: TestServer, [method, path, body, as = 'ann']: Request, post: string) {
  const token = as === '' ? server.serverKey : await server.token(as)
  const response = await fetch(server.url + path.replace('$p', post), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' })
    },
    ...(body && { body: JSON.stringify(body) })
  })
  await response.text()
  return response
}

test('CC-08: a write is answered after its commit; one whose commit fails leaves nothing', async t => {
  const server = await startServer(t)
  const { client, admin } = server
  await admin.batch({
    users: [{ id: 'ann' }, { id: 'bob' }, { id: 'shy', visibility: 'private' }]
  })
  const { id } = await client('ann').createPost({ content: 'early' })
  await admin.settle()
  const held = await holdCommits(t, server)
  for (const write of WRITES) {
    const name = `${write[0]} ${write[1]}`
    await t.test(name, async () => {
      const before = await held.state()
      const shown = await client('ann').feed()
      await held.mode('fail')
      const failed = await send(server, write, id)
      assert.equal(failed.status, 503, 'the commit fails')
      assert.equal(failed.headers.get('fanwise-commit'), null, 'nothing was written')
      assert.equal(await held.state(), before, 'nothing is left')
      assert.deepEqual(await client('ann').feed(), shown)
      await held.mode('wait')
      await held.sql.query(`select pg_advisory_lock(${LOCK})`)
      let isAnswered = false
      const answer = send(server, write, id).finally(() => {
        isAnswered = true
      })
      await held.commitWaits()
      assert.equal(await held.state(), before, 'not committed')
      assert.ok(!isAnswered, 'answered before the commit')
      await held.sql.query(`select pg_advisory_unlock(${LOCK})`)
      assert.ok((await answer).ok, `${(await answer).status}`)
      assert.notEqual(await held.state(), before, 'committed when it is answered')
      await held.mode('go')
    })
  }
})

test('CC-08: the client hangs up while the commit waits: the write counts, once', async t => {
  const server = await startServer(t)
  const { client, admin } = server
  await client('ann').putUser('ann', {})
  const held = await holdCommits(t, server)
  await held.mode('wait')
  await held.sql.query(`select pg_advisory_lock(${LOCK})`)
  const hangUp = new AbortController()
  const options = { idempotencyKey: 'k1' }
  const first = client('ann').createPost({ content: 'once' }, { ...options, signal: hangUp.signal })
  const gone = assert.rejects(first)
  await held.commitWaits()
  hangUp.abort()
  await gone
  const again = client('ann').createPost({ content: 'once' }, options)
  await held.sql.query(`select pg_advisory_unlock(${LOCK})`)
  const { id } = await again
  await admin.settle()
  const { items } = await client('ann').feed()
  assert.deepEqual(
    items.map(post => post.id),
    [id]
  )
})

test('CC-08: a session that is ended at its commit writes nothing, and the write can be repeated', async t => {
  const server = await startServer(t)
  const { client } = server
  await client('ann').putUser('ann', {})
  const held = await holdCommits(t, server)
  const before = await held.state()
  await held.mode('wait')
  await held.sql.query(`select pg_advisory_lock(${LOCK})`)
  const write: Request = ['POST', '/v1/posts', { content: 'cut off' }]
  const answer = send(server, write, '')
  await held.commitWaits()
  await held.sql.query(`select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and objid = ${LOCK} and not granted`)
  assert.equal((await answer).status, 503)
  assert.equal((await answer).headers.get('retry-after'), '1')
  assert.equal(await held.state(), before)
  assert.deepEqual((await client('ann').feed()).items, [])
  await held.sql.query(`select pg_advisory_unlock(${LOCK})`)
  assert.equal((await send(server, write, '')).status, 201)
  assert.equal((await client('ann').feed()).items.length, 1)
})
