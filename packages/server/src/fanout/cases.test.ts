// Failures that happened to feed systems, replayed on the real stages while events wait: late, at once, in any order.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Post } from '@fanwise/sdk'
import { parseItems } from '../../../../testkit/page-world.ts'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { Problem } from '../domain/errors.ts'
import type { FeedEvent } from '../domain/event.ts'
import { type Limits, MINUTE_MS } from '../domain/limits.ts'
import { END, type PostId, timeOf } from '../domain/post-id.ts'
import { cleanCuts } from '../janitor/clean-cuts.ts'
import { deletePost, editPost } from '../publish/posts.ts'

function each(
  name: string,
  limits: Partial<Limits>,
  body: (world: WriteWorld) => Promise<void>
): void {
  for (const kind of ['memory', 'postgres'] as const)
    test(`${name} (${kind})`, async t => body(await openWriteWorld(t, limits, kind)))
}

/** A reader who follows the authors, and whose feed is warm. */
async function following(world: WriteWorld, reader: string, ...authors: string[]) {
  const [number, ...others] = (await world.users(reader, ...authors)) as [number, ...number[]]
  for (const author of others) await world.change('follow', number, author)
  await world.settle()
  await world.pages.build(`feed:${number}`)
  return [number, ...others] as [number, number, number]
}

const newestFirst = (ids: readonly PostId[]) => ids.toSorted().reverse()

/** What the reader sees, in steps of any size, as it stands and as if it were cold. */
async function assertSees(world: WriteWorld, reader: number, ids: readonly PostId[], when = '') {
  const list = `feed:${reader}` as const
  for (const limit of [1, 2, 10])
    assert.deepEqual(await world.pages.walk(reader, limit), ids, `${when} as it stands`)
  assert.deepEqual(await world.pages.walk(reader, 3, END, 'store'), ids, `${when} from the Store`)
  assert.deepEqual(await world.pages.oracle(reader), ids, `${when} by the oracle`)
  assert.notEqual((await world.plain.feeds.take(list, END, 1)).state, 'building')
}

async function home(world: WriteWorld, reader: number): Promise<Post[]> {
  return parseItems<Post>((await world.pages.pager.home(reader, { below: END, limit: 20 })).items)
}

const postEvent = (author: number, post: PostId): FeedEvent => ({ type: 'post', author, post })

for (const [what, count] of [
  ['pushed late', 5],
  ['too old to be pushed', 12]
] as const)
  each(`FO-06: posts that wait land where they were written: ${what}`, { cap: 50 }, async world => {
    const [v, a, b] = await following(world, 'v', 'a', 'b')
    const made: PostId[] = []
    for (let n = 0; n < count; n++) {
      made.unshift(await world.post(a))
      await world.clock.advance(10 * MINUTE_MS)
    }
    const last = await world.post(b)
    const waiting = made.map(id => postEvent(a, id))
    await world.handle(postEvent(b, last))
    assert.ok((await home(world, v)).some(({ id }) => id === last))
    for (const event of waiting) await world.handle(event)
    await assertSees(world, v, newestFirst([last, ...made]))
    for (const post of await home(world, v))
      assert.equal(post.createdAt, new Date(timeOf(post.id)).toISOString())
    await world.settle()
    await assertSees(world, v, newestFirst([last, ...made]))
  })

each('FO-01: delivery turns while the push of a post waits', {}, async world => {
  const [v, a] = await following(world, 'v', 'a')
  const ids: PostId[] = []
  const post = async () => ids.unshift(await world.post(a))
  const turns = ['pull', 'push', 'pull', 'push'] as const
  for (const [round, to] of turns.entries()) {
    await post()
    await world.settle()
    await post()
    await world.pages.deliverBy(a, to)
    await post()
    if (round === 1) await world.plain.feeds.drop([`feed:${v}`])
    if (round === 2) await world.pages.build(`timeline:${a}`)
    await world.settle()
    await assertSees(world, v, ids, `turned to ${to}`)
    if (round === 1) await world.pages.build(`feed:${v}`)
  }
})

each('FL-02: an unfollow overtakes the posts that wait', {}, async world => {
  const [v, a] = await following(world, 'v', 'a')
  const first = await world.post(a)
  await world.settle()
  const waiting = [await world.post(a), await world.post(a)].reverse()
  await world.change('unfollow', v, a)
  await assertSees(world, v, [], 'while they wait')
  await world.settle()
  await assertSees(world, v, [], 'unfollowed')
  for (const id of waiting) assert.ok((await world.pages.pager.post(v, id)).length > 0)
  await world.change('follow', v, a)
  await assertSees(world, v, [...waiting, first], 'followed again')
  await world.settle()
  await assertSees(world, v, [...waiting, first], 'settled')
})

each('DE-04: edits whose events come in the wrong order end with the last one', {}, async world => {
  const readers: number[] = []
  for (const name of ['v', 'w', 'x']) readers.push((await following(world, name, 'a'))[0])
  const [a] = (await world.users('a')) as [number]
  const p = await world.post(a, 'v1')
  const newer = await world.post(a, 'newer')
  await world.settle()
  const before = await home(world, readers[0] as number)
  for (const lost of [false, true]) {
    for (const reader of readers) await home(world, reader)
    await editPost(world, a, p, { content: `v2 ${lost}` })
    if (lost) await world.plain.feeds.clear()
    await editPost(world, a, p, { content: `v3 ${lost}` })
    const edit: FeedEvent = { type: 'edit', author: a, post: p }
    await world.handle(edit, postEvent(a, p), edit)
    await world.settle()
    for (const reader of readers) {
      const shown = await home(world, reader)
      assert.deepEqual(
        shown.map(({ id, content }) => [id, content]),
        [
          [newer, 'newer'],
          [p, `v3 ${lost}`]
        ]
      )
      assert.equal(shown[1]?.createdAt, before[1]?.createdAt)
      assert.notEqual(shown[1]?.editedAt, null)
    }
  }
})

each(
  'DE-06: events of one post and of one pair in any order end with the truth',
  {},
  async world => {
    const [v, a] = await following(world, 'v', 'a')
    const kept = await world.post(a)
    const doomed = await world.post(a)
    await deletePost(world, a, doomed)
    await assert.rejects(editPost(world, a, doomed, { content: 'back' }), {
      code: 'post_not_found'
    })
    const ofPost = (['delete', 'post', 'edit', 'post'] as const).map(
      (type): FeedEvent => ({ type, author: a, post: doomed })
    )
    await world.handle(postEvent(a, kept), ...ofPost, ...ofPost.toReversed())
    await assertSees(world, v, [kept])
    for (const change of ['unfollow', 'follow', 'unfollow', 'follow'] as const)
      await world.change(change, v, a)
    const look: FeedEvent = { type: 'relation', author: a, reader: v }
    await world.handle(look, look, look)
    for (const liked of [true, false, true])
      await (liked ? world.store.like(v, kept) : world.store.unlike(v, kept))
    const next = await world.post(a)
    await world.settle()
    await world.handle(look, ...ofPost)
    await assertSees(world, v, [next, kept])
    const shown = await home(world, v)
    assert.deepEqual(
      shown.map(post => post.viewer.liked),
      [false, true]
    )
    const deletions = await Promise.allSettled([1, 2, 3].map(() => deletePost(world, a, next)))
    for (const one of deletions)
      if (one.status === 'rejected')
        assert.ok(one.reason instanceof Problem && one.reason.code === 'post_not_found')
    await world.settle()
    await assertSees(world, v, [kept])
  }
)

each(
  'BL-06: posts come back after a block that was cleaned up, and after a short one',
  { cutMs: 0 },
  async world => {
    const [v, a, b] = await following(world, 'v', 'a', 'b')
    const [his, others]: [PostId[], PostId[]] = [[], []]
    for (let n = 0; n < 10; n++) {
      his.push(await world.post(a))
      others.push(await world.post(b))
    }
    await world.settle()
    const all = newestFirst([...his, ...others])
    for (const cleaned of [true, false, true]) {
      await world.pages.build(`feed:${v}`)
      await world.change('block', v, a)
      await assertSees(world, v, newestFirst(others), 'blocked')
      if (cleaned) {
        await world.settle()
        assert.ok((await cleanCuts(world, 10)) > 0)
        await assertSees(world, v, newestFirst(others), 'cleaned up')
      }
      await world.change('unblock', v, a)
      await assertSees(world, v, newestFirst(others), 'unblocked')
      await world.change('follow', v, a)
      await assertSees(world, v, all, 'followed')
      await world.settle()
      await cleanCuts(world, 10)
      await assertSees(world, v, all, 'settled')
    }
  }
)

each(
  'FO-a1: a worker dies amid a batch, which comes again and again: nothing is shown twice',
  { slice: 1 },
  async world => {
    const [v, a, b] = await following(world, 'v', 'a', 'b')
    await following(world, 'w', 'a', 'b')
    const events: FeedEvent[] = []
    for (let n = 0; n < 6; n++) {
      const author = n % 2 === 0 ? a : b
      events.push(postEvent(author, await world.post(author)))
    }
    const of = (author: number) =>
      events.filter(event => 'author' in event && event.author === author)
    let left = 1
    world.faults.feeds.push = async pushes => {
      if (left-- <= 0) throw new Problem('unavailable')
      return world.plain.feeds.push(pushes)
    }
    await assert.rejects(world.handle(...of(a)))
    delete world.faults.feeds.push
    const ids = newestFirst(events.map(event => ('post' in event ? event.post : '')))
    await world.handle(...of(a), ...of(a))
    await world.handle(...of(b))
    await assertSees(world, v, ids, 'twice')
    await world.settle()
    await assertSees(world, v, ids, 'settled')
  }
)
