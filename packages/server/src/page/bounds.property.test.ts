// Pages between any bounds, in both directions, are the stretch of the oracle that lies between them.
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import fc from 'fast-check'
import { openWorld, type PageWorld } from '../../../../testkit/page-world.ts'
import { runs } from '../../../../testkit/runs.ts'
import { BEGINNING, END, type PostId } from '../domain/post-id.ts'

const CAP = 8

const asked = fc.record({
  after: fc.nat(40),
  before: fc.nat(40),
  limit: fc.constantFrom(1, 2, 5, 30),
  /** What happens to the reader's list before. */
  list: fc.constantFrom('as it is', 'cold', 'rebuilt')
})

/** A reader with a pushed and a merged followee and one who is muted; some posts are hidden or deleted. */
async function history(t: TestContext, posts: readonly number[], gone: readonly number[]) {
  const world = await openWorld(t, 'memory', { cap: CAP, slack: 2 })
  const users = (await world.users('v', 'a', 's', 'm')) as [number, number, number, number]
  const [v, , s, m] = users
  for (const author of users.slice(1)) await world.follow(v, author)
  await world.deliverBy(s, 'pull')
  await world.build(`feed:${v}`)
  await world.rule('mute', v, m)
  const all: { id: PostId; author: number }[] = []
  for (const which of posts) {
    const author = users[which] ?? v
    all.push({ id: await world.pastPost(author), author })
  }
  for (const [n, index] of gone.entries()) {
    const post = all[index]
    if (post === undefined) continue
    if (n % 2 === 0) await world.delete(post.author, post.id)
    else await world.hide(v, post.id)
  }
  return { world, v, anchors: all.map(({ id }) => id).sort() }
}

async function down(world: PageWorld, reader: number, above: PostId, from: PostId, limit: number) {
  const ids: PostId[] = []
  for (let below: PostId | null = from; below !== null; ) {
    const page = await world.pager.home(reader, { below, above, limit })
    assert.ok(page.ids.length <= limit)
    ids.push(...page.ids)
    below = page.next
  }
  return ids
}

async function up(world: PageWorld, reader: number, from: PostId, limit: number) {
  const ids: PostId[] = []
  for (let above: PostId | null = from; above !== null; ) {
    const page = await world.pager.newer(reader, { above, limit })
    assert.ok(page.ids.length <= limit)
    ids.push(...page.ids)
    above = page.next
  }
  return ids
}

test('pages between any bounds are what the oracle has there', async t => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(3), { maxLength: 40 }),
      // A post that was deleted cannot be hidden.
      fc.uniqueArray(fc.nat(40), { maxLength: 10 }),
      fc.array(asked, { minLength: 1, maxLength: 6 }),
      async (posts, gone, questions) => {
        const { world, v, anchors } = await history(t, posts, gone)
        const oracle = await world.oracle(v)
        for (const { after, before, limit, list } of questions) {
          if (list !== 'as it is') await world.feeds.drop([`feed:${v}`])
          if (list === 'rebuilt') await world.build(`feed:${v}`)
          const above = anchors[after] ?? BEGINNING
          const below = anchors[before] ?? END
          const newer = oracle.filter(id => id > above)
          const between = newer.filter(id => id < below)
          if (above < below)
            assert.deepEqual(await down(world, v, above, below, limit), between, list)
          assert.deepEqual(await up(world, v, above, limit), newer.toReversed(), list)
          const { count, more } = await world.pager.countNewer(v, { above, limit })
          assert.equal(count, Math.min(limit, newer.length))
          assert.equal(more, newer.length > limit, 'there are more')
        }
      }
    ),
    runs(60)
  )
})
