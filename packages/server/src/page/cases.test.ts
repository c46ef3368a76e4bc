// Failures that happened to feed systems, replayed on the pager: warm, cold and rebuilt, on both Stores.
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { Post } from '@fanwise/sdk'
import { openWorld, type PageWorld, parseItems, WORLDS } from '../../../../testkit/page-world.ts'
import type { Limits } from '../domain/limits.ts'
import { END, type PostId } from '../domain/post-id.ts'

function each(
  name: string,
  limits: Partial<Limits>,
  body: (world: PageWorld, t: TestContext) => Promise<void>
): void {
  for (const kind of WORLDS) {
    test(`${name} (${kind})`, async t => body(await openWorld(t, kind, limits), t))
  }
}

/** The walk is the oracle as it stands, cold and rebuilt. */
async function assertExact(world: PageWorld, reader: number, limits: readonly number[]) {
  const oracle = await world.oracle(reader)
  const check = async (state: string) => {
    for (const limit of limits)
      assert.deepEqual(await world.walk(reader, limit), oracle, `${state}, limit ${limit}`)
  }
  await check('as it stands')
  await world.feeds.drop([`feed:${reader}`])
  await check('cold')
  await world.build(`feed:${reader}`)
  await check('rebuilt')
  return oracle
}

/** Older posts, 10 s apart, of the authors in turn. */
async function posts(world: PageWorld, authors: readonly number[], count: number) {
  const ids: PostId[] = []
  for (let n = 0; n < count; n++)
    ids.push(await world.pastPost(authors[n % authors.length] as number))
  return ids
}

each('PG-03 a page that is filtered empty is not the end', { cap: 30 }, async world => {
  const [v, a, b] = (await world.users('v', 'a', 'b')) as [number, number, number]
  await world.follow(v, a)
  await world.follow(v, b)
  const older = await posts(world, [b], 5)
  const newer = await posts(world, [a], 40)
  await world.build(`feed:${v}`)
  for (const id of newer.slice(10)) await world.hide(v, id)
  const oldest = older[0] as PostId
  const seen: PostId[] = []
  let below: PostId | null = END
  while (below !== null) {
    const page = await world.pager.home(v, { below, limit: 5 })
    seen.push(...page.ids)
    assert.ok(page.next !== null || seen.includes(oldest), 'the end before the oldest post')
    below = page.next
  }
  assert.equal((await assertExact(world, v, [1, 5, 10, 20])).length, 15)
})

for (const rule of ['block', 'mute'] as const) {
  each(`PG-03 all limits end with the same set after a ${rule}`, { cap: 150 }, async world => {
    const [v, b, c] = (await world.users('v', 'b', 'c')) as [number, number, number]
    await world.follow(v, b)
    await world.follow(v, c)
    await posts(world, [b], 10)
    await posts(world, [c, c, b, ...Array(38).fill(c)], 205)
    await world.build(`feed:${v}`)
    await world.rule(rule, v, c)
    assert.equal((await assertExact(world, v, [1, 5, 10, 20, 100])).length, 15)
  })
}

each('PG-04 history goes on below the cap without a seam', { cap: 10, slack: 0 }, async world => {
  const [v, ...authors] = (await world.users('v', 'a', 'b', 'c')) as [number, ...number[]]
  for (const author of authors) await world.follow(v, author)
  const ids = (await posts(world, authors, 40)).toReversed()
  await world.build(`feed:${v}`)
  assert.deepEqual(await world.walk(v, 4), await world.oracle(v))
  const page = await world.pager.home(v, { below: ids[7] as PostId, limit: 4 })
  assert.deepEqual([page.ids, page.source], [ids.slice(8, 12), 'seam'])
  assert.equal((await assertExact(world, v, [4])).length, 40)
  for (const index of [9, 10]) await world.delete(authors[(39 - index) % 3] as number, ids[index]!)
  const first = await world.pager.home(v, { below: END, limit: 8 })
  for (const author of authors) await world.post(author)
  const rest = await world.walk(v, 4, first.next as PostId)
  assert.deepEqual(
    [...first.ids, ...rest],
    ids.filter((_, index) => index !== 9 && index !== 10)
  )
})

each('PG-10 a cursor holds while posts come and go', {}, async world => {
  const [v, a] = (await world.users('v', 'a')) as [number, number]
  await world.follow(v, a)
  const ids = (await posts(world, [a], 30)).toReversed()
  await world.build(`feed:${v}`)
  const first = await world.pager.home(v, { below: END, limit: 10 })
  assert.deepEqual(first.ids, ids.slice(0, 10))
  for (let n = 0; n < 7; n++) await world.post(a)
  for (const index of [4, 11]) await world.delete(a, ids[index] as PostId)
  const rest = await world.walk(v, 10, first.next as PostId)
  assert.deepEqual(
    rest,
    ids.slice(10).filter(id => id !== ids[11])
  )
})

each('RB-02 a rebuild whose window is all filtered still shows what is older', {}, async world => {
  const [v, loud, quiet] = (await world.users('v', 'l', 'q')) as [number, number, number]
  await world.follow(v, loud)
  await world.follow(v, quiet)
  const calm = (await posts(world, [quiet], 5)).toReversed()
  const noise = await posts(world, [loud], 120)
  for (const id of noise.slice(0, 60)) await world.hide(v, id)
  for (const id of noise.slice(60)) await world.delete(loud, id)
  for (const build of [false, true]) {
    if (build) await world.build(`feed:${v}`)
    const page = await world.pager.home(v, { below: END, limit: 10 })
    assert.deepEqual([page.ids, page.next, page.partial], [calm, null, false])
  }
  await posts(world, [loud], 30)
  assert.equal((await assertExact(world, v, [7])).length, 35)
})

each('RB-01 after losing the cache whole lists are shown', {}, async world => {
  const people = await world.users('a', 'b', 'c')
  for (const reader of people)
    for (const author of people) if (reader !== author) await world.follow(reader, author)
  for (const reader of people) await world.build(`feed:${reader}`)
  await posts(world, people, 30)
  const during = await world.publish(people[0] as number)
  await world.feeds.clear()
  await world.deliver(people[0] as number, during)
  await world.post(people[0] as number)
  for (const reader of people) {
    assert.equal((await assertExact(world, reader, [4, 50])).length, 32)
    await world.feeds.drop([`feed:${reader}`])
    assert.deepEqual(await world.walk(reader, 5), await world.oracle(reader))
  }
})

each('DE-02 a deleted post is on no path', {}, async world => {
  const [v, a] = (await world.users('v', 'a')) as [number, number]
  await world.follow(v, a)
  await world.build(`feed:${v}`)
  const [p1, p2, p3] = (await posts(world, [a], 3)) as [PostId, PostId, PostId]
  const read = async () => {
    const home = await world.pager.home(v, { below: END, limit: 10 })
    const author = await world.pager.timeline(v, a, { below: END, limit: 10 })
    return [home.ids, author.ids]
  }
  assert.deepEqual(await read(), [
    [p3, p2, p1],
    [p3, p2, p1]
  ])
  await world.pager.post(v, p2)
  await world.delete(a, p2)
  for (const _ of [1, 2]) {
    assert.deepEqual(await read(), [
      [p3, p1],
      [p3, p1]
    ])
    await assert.rejects(world.pager.post(v, p2), { code: 'post_not_found' })
    assert.deepEqual((await world.pager.home(v, { below: p2, limit: 10 })).ids, [p1])
    assert.deepEqual((await world.pager.timeline(v, a, { below: p2, limit: 10 })).ids, [p1])
  }
})

each('BL-06 what was hidden or blocked comes back', {}, async world => {
  const [v, a] = (await world.users('v', 'a')) as [number, number]
  await world.follow(v, a)
  await world.build(`feed:${v}`)
  const ids = (await posts(world, [a], 10)).toReversed()
  await world.hide(v, ids[5] as PostId)
  assert.deepEqual(
    await world.walk(v, 4),
    ids.filter(id => id !== ids[5])
  )
  await world.hide(v, ids[5] as PostId, false)
  assert.deepEqual(await world.walk(v, 4), ids)
  await world.rule('mute', v, a)
  assert.deepEqual(await world.walk(v, 4), [])
  await world.rule('unmute', v, a)
  assert.deepEqual(await world.walk(v, 4), ids)
  await world.rule('block', v, a)
  assert.deepEqual(await world.walk(v, 4), [])
  await world.rule('unblock', v, a)
  assert.deepEqual(await world.walk(v, 4), [], 'a block ends the follow')
  await world.follow(v, a)
  assert.deepEqual(await world.walk(v, 4), ids)
  await assertExact(world, v, [3])
})

each('FL-07 nothing makes a tiny feed of an evicted one', { cap: 100 }, async world => {
  const [v, a, b, c, d] = (await world.users('v', 'a', 'b', 'c', 'd')) as number[] as [
    number,
    number,
    number,
    number,
    number
  ]
  for (const author of [a, b, c]) await world.follow(v, author)
  await posts(world, [a, b, c, d], 40)
  await world.post(a)
  await world.follow(v, d)
  assert.equal((await world.walk(v, 5)).length, 41)
  assert.ok(await world.feeds.begin(`feed:${v}`, 'token'))
  await posts(world, [a, b, c], 5)
  assert.equal((await world.walk(v, 5)).length, 46)
  await world.feeds.drop([`feed:${v}`])
  assert.equal(await world.finish(`feed:${v}`, 'token'), false)
  assert.equal((await assertExact(world, v, [5])).length, 46)
})

each('an author is seen by whom they may be seen', {}, async world => {
  const [v, a, w] = (await world.users('v', 'a', 'w')) as [number, number, number]
  await world.follow(v, a)
  const ids = (await posts(world, [a], 3)).toReversed()
  const timeline = (viewer: number) => world.pager.timeline(viewer, a, { below: END, limit: 3 })
  await world.hide(v, ids[1] as PostId)
  await world.rule('mute', v, a)
  const first = await timeline(v)
  assert.deepEqual(first.ids, [ids[0], ids[2]], 'hides apply, mutes do not')
  assert.equal(first.next, null)
  await world.pager.post(v, ids[1] as PostId)
  await world.rule('block', a, w)
  await assert.rejects(timeline(w), { code: 'user_not_found' })
  await assert.rejects(world.pager.post(w, ids[0] as PostId), { code: 'post_not_found' })
  await world.suspend(a)
  for (const viewer of [v, a]) {
    await assert.rejects(timeline(viewer), { code: 'user_not_found' })
    await assert.rejects(world.pager.post(viewer, ids[0] as PostId), { code: 'post_not_found' })
  }
  await world.rule('unmute', v, a)
  assert.deepEqual(await world.walk(v, 5), [])
  await assert.rejects(world.pager.post(v, '12'), { code: 'post_not_found' })
  await assert.rejects(world.pager.timeline(v, 999_999, { below: END, limit: 2 }), {
    code: 'user_not_found'
  })
})

each('a page shows what the Store says of each post', {}, async world => {
  const [v, a] = (await world.users('v', 'a')) as [number, number]
  await world.follow(v, a)
  await world.build(`feed:${v}`)
  const id = await world.post(a, 'first')
  await world.post(a, 'second')
  const read = async () =>
    parseItems<Post>((await world.pager.home(v, { below: END, limit: 5 })).items)
  assert.deepEqual(
    (await read()).map(post => post.content),
    ['second', 'first']
  )
  await world.store.editPost(a, id, { content: 'edited' })
  await world.feeds.announce({ posts: [id] })
  await world.store.like(v, id)
  const [, edited] = await read()
  assert.deepEqual([edited?.id, edited?.author.id, edited?.content], [id, 'a', 'edited'])
  assert.deepEqual(edited?.viewer, { liked: true })
  assert.notEqual(edited?.editedAt, null)
})
