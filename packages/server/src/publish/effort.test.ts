// What a post costs before its answer.
import assert from 'node:assert/strict'
import test from 'node:test'
import { watched } from '../../../../testkit/watched.ts'
import { openWriteWorld } from '../../../../testkit/write-world.ts'
import { createPost, deletePost, editPost } from './posts.ts'

test('ME-05, ME-09: a post, its edit and its deletion ask as often whoever follows', async t => {
  const world = await openWriteWorld(t)
  const fans = await world.users(...Array.from({ length: 300 }, (_, n) => `fan${n}`))
  const [quiet = 0, loud = 0] = await world.users('quiet', 'loud')
  await world.store.followMany(fans.map(reader => ({ reader, author: loud })))
  for (const fan of fans.slice(0, 20)) await world.pages.build(`feed:${fan}`)
  await world.settle()
  const effort = async (author: number) => {
    const asked: string[] = []
    const context = {
      ...{ clock: world.clock, telemetry: world.telemetry, limits: world.limits },
      store: watched(world.store, asked),
      feeds: watched(world.feeds, asked)
    }
    const { value } = await createPost(context, { author, content: 'x', attrs: {} })
    await editPost(context, author, value.post.id, { content: 'y' })
    await deletePost(context, author, value.post.id)
    return asked
  }
  const few = await effort(quiet)
  assert.deepEqual(await effort(loud), few)
  assert.ok(few.length <= 8, few.join())
})
