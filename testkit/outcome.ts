// What has to be so when all faults are over: every reader's feed, every acknowledged post, every count.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { mergeReports, type VerifyReport } from '@fanwise/sdk'
import { withClient } from '../packages/server/src/adapters/postgres/bundled/with-client.ts'
import type { Fleet } from './fleet.ts'
import { until } from './kafka.ts'
import type { Traffic } from './traffic.ts'

export interface OutcomeOptions {
  /** Longest time for all events to be worked off. */
  readonly settleMs?: number
  /** Feeds may all be cold, since what was in Redis is gone. */
  readonly coldAllowed?: boolean
}

/** Settles, then compares all that there is with what was acknowledged. Nothing may have been mended before. */
export async function assertExact(
  t: TestContext,
  fleet: Fleet,
  traffic: Traffic,
  options: OutcomeOptions = {}
): Promise<void> {
  try {
    await compare(t, fleet, traffic, options)
  } catch (error) {
    // While the services are still there: later their end is all that the logs tell.
    await fleet.tellLogs()
    throw error
  }
}

async function compare(
  t: TestContext,
  fleet: Fleet,
  traffic: Traffic,
  { settleMs = 60_000, coldAllowed = false }: OutcomeOptions
): Promise<void> {
  const began = performance.now()
  t.diagnostic(traffic.summary())
  const violations = [...traffic.violations, ...fleet.members.flatMap(member => member.violations)]
  if (violations.length > 0) t.diagnostic(`violations: ${violations.slice(0, 10).join('; ')}`)
  await until('all is settled', () => fleet.admin.settle(5000).catch(() => false), settleMs)
  const settled = performance.now()
  const report = await verifyAll(fleet, traffic.users)
  t.diagnostic(
    `settled after ${Math.round(settled - began)} ms, verified in ${Math.round(performance.now() - settled)} ms, ` +
      `cold ${report.cold}, pages ${JSON.stringify(report.pages)}`
  )
  assert.equal(report.differences, 0, JSON.stringify(report.examples))
  assert.equal(report.pending, 0)
  assert.equal(report.counts.wrong, 0, JSON.stringify(report.counts.examples))
  assert.equal(await driftFound(fleet), 0, 'feeds that a janitor found wrong and dropped')
  if (!coldAllowed) assert.ok(report.cold < report.readers, 'no feed was warm to be judged')
  await assertTimelines(fleet, traffic)
  await assertCounts(fleet.databaseUrl)
  assert.deepEqual(violations.slice(0, 10), [], 'while the traffic ran')
}

/** Each reader's feed against the Store. */
export async function verifyAll(fleet: Fleet, users: readonly string[]): Promise<VerifyReport> {
  const reports: VerifyReport[] = []
  const left = [...users]
  const work = async () => {
    for (let user = left.pop(); user !== undefined; user = left.pop())
      reports.push(await fleet.admin.verify(user))
  }
  await Promise.all([work(), work(), work()])
  return mergeReports(reports)
}

/** What janitors have mended by themselves, as far as they have not been killed since. */
async function driftFound({ members }: Fleet): Promise<number> {
  const told = members.map(member => member.metric('fanwise_drift_found_total').catch(() => 0))
  return (await Promise.all(told)).reduce((sum, found) => sum + found, 0)
}

/** Each acknowledged post once in its author's timeline, unless its deletion was acknowledged. */
async function assertTimelines({ admin }: Fleet, traffic: Traffic): Promise<void> {
  const shown = new Map<string, number>()
  for (const author of traffic.users) {
    for await (const { id } of admin.as(author).userPosts(author, { limit: 100 }))
      shown.set(id, (shown.get(id) ?? 0) + 1)
  }
  const wrong = [...traffic.posts].flatMap(([id, author]) => {
    const deleted = traffic.told.told(`delete ${id}`)
    const times = shown.get(id) ?? 0
    const right = deleted === 'unsure' ? times <= 1 : times === (deleted === 'no' ? 1 : 0)
    return right ? [] : [`${id} of ${author}: deleted ${deleted}, shown ${times} times`]
  })
  assert.deepEqual(wrong, [], 'posts that are not once in the timeline of their author')
}

const WRONG_COUNTS = `
  select 'likes of ' || p.id as what, coalesce(c.likes, 0) as shown, count(l.user_number) as real
    from posts p left join post_counts c on c.shard = p.shard and c.post = p.id
    left join likes l on l.post = p.id
    where p.deleted_at is null
    group by p.id, c.likes having coalesce(c.likes, 0) <> count(l.user_number)
  union all
  select 'followers of ' || u.id, u.followers_count, count(f.follower)
    from users u left join followers f on f.followee = u.number
    group by u.number having u.followers_count <> count(f.follower)
  union all
  select 'following of ' || u.id, u.following_count, count(f.followee)
    from users u left join follows f on f.follower = u.number
    group by u.number having u.following_count <> count(f.followee)
  union all
  select 'posts of ' || u.id, u.posts_count, count(p.id)
    from users u left join posts p on p.author = u.number and p.deleted_at is null
    group by u.number having u.posts_count <> count(p.id)
  union all
  select 'follow of one side only: ' || coalesce(a.follower, b.follower), 0, 1
    from follows a full join followers b on a.follower = b.follower and a.followee = b.followee
    where a.follower is null or b.follower is null`

/** Each shown count equals its rows. They may lag by a second. */
async function assertCounts(databaseUrl: string): Promise<void> {
  let wrong: unknown[] = []
  const ask = async () => {
    wrong = (await withClient(databaseUrl, client => client.query(WRONG_COUNTS))).rows
    return wrong.length === 0
  }
  await until('counts equal rows', ask, 5000).catch(() => assert.deepEqual(wrong, []))
}
