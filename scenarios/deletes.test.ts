// Posts that are deleted and edited: gone, or changed, on every path at once, whatever else happens to them.
import assert from 'node:assert/strict'
import type { PostId } from '@fanwise/sdk'
import { walk } from '../testkit/walk.ts'
import { BEHIND_API } from './modes.ts'
import { following, postMany, scenario, type World, walkHome } from './world.ts'

const gone = { code: 'post_not_found' }
const newestFirst = (...lists: (readonly PostId[])[]) => lists.flat().sort().reverse()

async function exact(world: World, ...readers: string[]): Promise<void> {
  for (const reader of readers) {
    const { differences, examples } = await world.admin.verify(reader)
    assert.equal(differences, 0, JSON.stringify(examples))
  }
}

scenario('DE-02: a deleted post as a bound, and every way to ask for it', {}, async world => {
  await following(world, 'v', 'a')
  const [p4 = '', p3 = '', p2 = '', p1 = ''] = await postMany(world, 'a', 4)
  await world.settle()
  const v = world.as('v')
  const idsOf = async (page: Promise<{ items: readonly { id: PostId }[] }>) =>
    (await page).items.map(({ id }) => id)
  await walkHome(world, 'v')
  await v.like(p2)
  const at = (await v.feed({ limit: 3 })).nextCursor ?? ''
  const atAuthor = (await v.userPosts('a', { limit: 3 })).nextCursor ?? ''
  await world.as('a').deletePost(p2)
  for (const _ of ['once', 'twice']) {
    assert.deepEqual(await idsOf(v.feed()), [p4, p3, p1])
    assert.deepEqual(await idsOf(v.feed({ before: p2 })), [p1])
    assert.deepEqual(await idsOf(v.feed({ after: p2 })), [p3, p4])
    assert.deepEqual(await idsOf(v.feed({ after: p1, before: p3 })), [])
    assert.deepEqual(await idsOf(v.feed({ cursor: at })), [p1])
    assert.deepEqual(await idsOf(v.feed({ after: at })), [p3, p4])
    assert.deepEqual(await idsOf(v.userPosts('a', { cursor: atAuthor })), [p1])
    assert.equal((await v.newer({ after: p1 })).count, 2)
    assert.equal((await v.newer({ after: p2 })).count, 2)
    for (const user of ['v', 'a', 'stranger']) {
      const api = world.as(user)
      await assert.rejects(api.getPost(p2), gone)
      await assert.rejects(api.like(p2), gone)
      await assert.rejects(api.hide(p2), gone)
      await assert.rejects(api.editPost(p2, { content: 'back' }), gone)
    }
    await v.unlike(p2)
    assert.equal((await world.admin.explain('v', p2)).shown, false)
    assert.deepEqual((await idsOf(v.userPosts('a'))).includes(p2), false)
  }
  await world.settle()
  assert.deepEqual(await walkHome(world, 'v'), [p4, p3, p1])
  await exact(world, 'v')
})

scenario(
  'DE-04: quick edits, and a cache that goes between them, end with the last one everywhere',
  { modes: BEHIND_API },
  async world => {
    const readers = ['v', 'w', 'x']
    for (const reader of readers) await following(world, reader, 'a')
    const [next = '', p = ''] = await postMany(world, 'a', 2)
    await world.settle()
    const { createdAt } = await world.as('v').getPost(p)
    for (const lost of [false, true]) {
      for (const reader of readers) await world.as(reader).feed()
      const reads = () => readers.map(reader => world.as(reader).feed())
      await Promise.all([world.as('a').editPost(p, { content: `v2 ${lost}` }), ...reads()])
      if (lost) await world.evict()
      await Promise.all([world.as('a').editPost(p, { content: `v3 ${lost}` }), ...reads()])
      for (const _ of ['at once', 'settled']) {
        for (const reader of readers) {
          const { items } = await world.as(reader).feed()
          assert.deepEqual(
            items.map(({ id, content }) => [id, content]),
            [
              [next, 'a 2'],
              [p, `v3 ${lost}`]
            ]
          )
          assert.equal(items[1]?.createdAt, createdAt)
          assert.notEqual(items[1]?.editedAt, null)
          const [, shown] = (await world.as(reader).userPosts('a')).items
          assert.deepEqual(shown, items[1])
        }
        await world.settle()
      }
    }
    // Of edits at the same time one is the last: the same one for all.
    const all = Array.from({ length: 8 }, (_, n) => world.as('a').editPost(p, { content: `${n}` }))
    await Promise.all(all)
    const texts = await Promise.all(
      readers.map(async reader => (await world.as(reader).feed()).items[1]?.content)
    )
    assert.deepEqual(new Set(texts).size, 1)
    assert.equal(texts[0], (await world.as('a').getPost(p)).content)
  }
)

scenario(
  'DE-06: deletes at once with edits, likes and each other',
  { modes: BEHIND_API },
  async world => {
    await following(world, 'v', 'a')
    const made = await postMany(world, 'a', 6)
    const [kept = '', ...doomed] = made
    await world.settle()
    await walkHome(world, 'v')
    const isGone = (error: unknown) =>
      assert.equal((error as { code?: string }).code, 'post_not_found')
    const all = doomed.flatMap(id => [
      world.as('a').deletePost(id).catch(isGone),
      world
        .as('a')
        .editPost(id, { content: 'edited' })
        .then(() => {}, isGone),
      world.as('v').like(id).catch(isGone),
      world.as('a').deletePost(id).catch(isGone)
    ])
    await Promise.all(all)
    for (const act of ['like', 'unlike', 'like'] as const) await world.as('v')[act](kept)
    for (const act of ['follow', 'unfollow', 'follow'] as const) await world.as('v')[act]('a')
    const { id: short } = await world.as('a').createPost({ content: 'short' })
    await Promise.all([
      world.as('a').deletePost(short),
      world
        .as('a')
        .editPost(short, { content: 'x' })
        .then(() => {}, isGone)
    ])
    for (const _ of ['at once', 'settled']) {
      assert.deepEqual(await walkHome(world, 'v'), [kept])
      assert.equal((await world.as('v').getPost(kept)).viewer.liked, true)
      await world.settle()
    }
    await world.evict()
    assert.deepEqual(await walkHome(world, 'v'), [kept])
    await exact(world, 'v')
  }
)

scenario(
  'DE-07: an account that goes holds nobody up while it is cleaned away',
  { modes: BEHIND_API, settings: { cap: '20' } },
  async world => {
    const fans = Array.from({ length: 60 }, (_, n) => `fan${n}`)
    await world.admin.batch({ follows: fans.map(follower => ({ follower, followee: 'a' })) })
    await following(world, 'fan0', 'b')
    const start = Date.now() - 3_000_000
    const posts = Array.from({ length: 300 }, (_, n) => ({
      author: 'a',
      content: `${n}`,
      createdAt: new Date(start + 1000 * n).toISOString()
    }))
    await world.admin.batch({ posts })
    for (const fan of fans.slice(0, 5)) await walkHome(world, fan, 50)
    await world.settle()
    await world.as('a').deleteMe()
    const [meanwhile = ''] = await postMany(world, 'b', 1)
    for (const fan of fans.slice(1, 5)) assert.deepEqual(await walkHome(world, fan), [])
    await world.settle()
    assert.deepEqual(await walkHome(world, 'fan0'), [meanwhile])
    await exact(world, ...fans.slice(0, 5))
  }
)

scenario(
  'DE-a1: a page keeps its size when its posts are deleted while it is walked',
  { modes: BEHIND_API, settings: { cap: '10' } },
  async world => {
    await following(world, 'v', 'a', 'b')
    const [a, b] = [await postMany(world, 'a', 12), await postMany(world, 'b', 12)]
    await walkHome(world, 'v')
    await world.settle()
    const ids = newestFirst(a, b)
    const left = new Set(ids)
    // After each page the next two go, and one that was shown.
    let shown = 0
    const walked = await walk(
      async query => {
        const page = await world.as('v').feed(query)
        shown += page.items.length
        if (page.nextCursor !== null) assert.equal(page.items.length, query.limit)
        return page
      },
      4,
      async () => {
        const at = ids.filter(id => left.has(id))
        for (const id of [...at.slice(shown, shown + 2), at[shown - 1]])
          if (id !== undefined) {
            await world.as(a.includes(id) ? 'a' : 'b').deletePost(id)
            left.delete(id)
            if (at.indexOf(id) < shown) shown--
          }
      }
    )
    assert.equal(new Set(walked).size, walked.length)
    for (const id of left) assert.ok(walked.includes(id), `${id} was skipped`)
    await world.settle()
    assert.deepEqual(
      await walkHome(world, 'v', 4),
      ids.filter(id => left.has(id))
    )
    await exact(world, 'v')
  }
)

scenario(
  'DE-a2: a delete races with the follow, the rebuild and the first push of a post',
  { modes: BEHIND_API, settings: { cap: '10', threshold: '3' }, limits: { graceMs: 20 } },
  async world => {
    for (const reader of ['v', 'w']) await following(world, reader, 'a')
    await following(world, 'x', 'b')
    const kept: PostId[] = []
    for (let round = 0; round < 6; round++) {
      const [stay = '', go = ''] = await postMany(world, 'a', 2)
      kept.unshift(stay)
      await Promise.all([
        world.as('a').deletePost(go),
        world.admin.rebuild('v'),
        world.as('x')[round % 2 === 0 ? 'follow' : 'unfollow']('a'),
        world.evict('w').then(() => world.as('w').feed())
      ])
      const readers = round % 2 === 0 ? ['v', 'w', 'x'] : ['v', 'w']
      for (const reader of readers)
        assert.ok(!(await walkHome(world, reader, 5)).includes(go), `round ${round}: ${reader}`)
      await world.settle()
      for (const reader of readers)
        assert.deepEqual(await walkHome(world, reader, 5), kept, `round ${round}: ${reader}`)
    }
    await exact(world, 'v', 'w', 'x')
  }
)
