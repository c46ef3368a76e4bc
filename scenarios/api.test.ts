// What a client builds on: lists by their cursors alone, objects that read as they were answered, text as it was sent.
import assert from 'node:assert/strict'
import type { Author, Page, Post } from '@fanwise/sdk'
import { following, postMany, scenario, walkHome } from './world.ts'

scenario(
  'AP-08: what a write answers is what a read shows, and lists go by next alone',
  {},
  async world => {
    await following(world, 'v', 'a')
    const post = await world
      .as('a')
      .createPost({ content: 'whole', attrs: { at: [1, { b: null }] } })
    assert.deepEqual(await world.as('a').getPost(post.id), post)
    assert.deepEqual(await world.as('v').getPost(post.id), post)
    const edited = await world.as('a').editPost(post.id, { content: 'edited' })
    assert.deepEqual(await world.as('v').getPost(post.id), edited)
    const profile = await world.as('a').putUser('a', { name: 'A', attributes: { x: 1 } })
    assert.deepEqual(await world.as('a').getUser('a'), {
      ...profile,
      counts: (await world.as('a').getUser('a')).counts
    })
    const ids = [...(await postMany(world, 'a', 7)), post.id]
    await world.settle()
    for (const limit of [1, 3, 8, 100]) assert.deepEqual(await walkHome(world, 'v', limit), ids)
    for (let n = 0; n < 5; n++) await world.as(`f${n}`).follow('a')
    const names: string[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: Page<Author> = await world
        .as('v')
        .followers('a', { limit: 2, ...(cursor !== undefined && { cursor }) })
      names.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    }
    assert.deepEqual(names, ['f4', 'f3', 'f2', 'f1', 'f0', 'v'])
  }
)

scenario(
  'AP-08: posts by their ids: those that are there, and those that are missing by name',
  {},
  async world => {
    await following(world, 'v', 'a', 'b')
    const [p3 = '', p2 = '', p1 = ''] = await postMany(world, 'a', 3)
    const [q1 = ''] = await postMany(world, 'b', 1)
    const ids = (found: { items: readonly Post[] }) => found.items.map(({ id }) => id)
    const all = await world.as('v').getPosts([p1, q1, p3, p2, p1])
    assert.deepEqual([ids(all), all.missing], [[p1, q1, p3, p2], []])
    assert.deepEqual(all.items[0], await world.as('v').getPost(p1))
    await world.as('a').deletePost(p2)
    const found = await world.as('v').getPosts([p1, p2, p3])
    assert.deepEqual([ids(found), found.missing], [[p1, p3], [p2]])
    const nowhere = '3766607006120787991'
    const impossible = '9999999999999999999'
    const none = await world.as('v').getPosts([nowhere, impossible])
    assert.deepEqual(none, { items: [], missing: [nowhere, impossible] })
    await world.as('v').hide(p3)
    assert.deepEqual(ids(await world.as('v').getPosts([p3])), [p3], 'as by its id alone')
    await world.as('b').block('v')
    const hidden = await world.as('v').getPosts([q1, p1])
    assert.deepEqual([ids(hidden), hidden.missing], [[p1], [q1]])
    assert.deepEqual(ids(await world.as('nobody').getPosts([q1])), [q1])
    await world.as('a').putUser('a', { visibility: 'private' })
    assert.deepEqual((await world.as('nobody').getPosts([p1])).missing, [p1])
    assert.deepEqual(ids(await world.as('v').getPosts([p1])), [p1])
    await world.admin.suspend('a')
    assert.deepEqual((await world.as('v').getPosts([p1])).missing, [p1])
    const refused = { code: 'invalid_request' }
    await assert.rejects(world.as('v').getPosts([]), refused)
    await assert.rejects(world.as('v').getPosts(Array(101).fill(p1)), refused)
  }
)

scenario(
  'AP-10: ids of posts and users are no cursors, and cursors of one list none of another',
  {},
  async world => {
    await following(world, 'v', 'a', 'b')
    await following(world, 'w', 'a')
    const [post = ''] = await postMany(world, 'a', 3)
    await world.settle()
    const v = world.as('v')
    for (const user of ['c', 'd']) {
      await world.admin.batch({ users: [{ id: user }] })
      await v.block(user)
      await v.mute(user)
    }
    const lists = {
      home: (cursor: string) => v.feed({ cursor, limit: 1 }),
      posts: (cursor: string) => v.userPosts('a', { cursor, limit: 1 }),
      followers: (cursor: string) => v.followers('a', { cursor, limit: 1 }),
      following: (cursor: string) => v.following('v', { cursor, limit: 1 }),
      blocks: (cursor: string) => v.blocks({ cursor, limit: 1 }),
      mutes: (cursor: string) => v.mutes({ cursor, limit: 1 })
    }
    const cursors: Record<keyof typeof lists, string | null> = {
      home: (await v.feed({ limit: 1 })).nextCursor,
      posts: (await v.userPosts('a', { limit: 1 })).nextCursor,
      followers: (await v.followers('a', { limit: 1 })).nextCursor,
      following: (await v.following('v', { limit: 1 })).nextCursor,
      blocks: (await v.blocks({ limit: 1 })).nextCursor,
      mutes: (await v.mutes({ limit: 1 })).nextCursor
    }
    const refused = { code: 'invalid_cursor' }
    for (const [name, read] of Object.entries(lists)) {
      for (const text of [post, 'a', '1', '']) await assert.rejects(read(text), refused, name)
      for (const [other, cursor] of Object.entries(cursors)) {
        assert.ok(cursor, `${other} has more than one item`)
        if (other === name) await read(cursor)
        else await assert.rejects(read(cursor), refused, `${other} for ${name}`)
      }
    }
    const theirs = (await world.as('w').feed({ limit: 1 })).nextCursor ?? ''
    await assert.rejects(v.feed({ cursor: theirs }), refused)
    const ofOther = (await v.userPosts('a', { limit: 1 })).nextCursor ?? ''
    await assert.rejects(v.userPosts('b', { cursor: ofOther }), refused)
  }
)

scenario(
  'AP-11: a cursor holds after a restart, its post deleted and its author blocked',
  {},
  async world => {
    await following(world, 'v', 'a', 'b')
    const theirs = await postMany(world, 'b', 3)
    const [last = ''] = await postMany(world, 'a', 1)
    await world.settle()
    const { nextCursor } = await world.as('v').feed({ limit: 1 })
    await world.as('a').deletePost(last)
    await world.as('v').block('a')
    await world.restart()
    const page = await world.as('v').feed({ cursor: nextCursor ?? '' })
    assert.deepEqual(
      page.items.map(({ id }) => id),
      theirs
    )
    assert.equal(page.nextCursor, null)
  }
)

scenario(
  'AP-12: a page that ends exactly at the last item says that it is the last',
  {},
  async world => {
    await following(world, 'v', 'a')
    const ids = await postMany(world, 'a', 4)
    await world.settle()
    for (const limit of [4, 2, 1]) {
      let pages = 0
      for (let cursor: string | null | undefined; cursor !== null; pages++)
        cursor = (await world.as('v').feed({ limit, ...(cursor !== undefined && { cursor }) }))
          .nextCursor
      assert.ok(pages <= ids.length / limit + 1, `${pages} pages of ${limit}`)
    }
  }
)
