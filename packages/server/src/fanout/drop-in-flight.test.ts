import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { Problem } from '../domain/errors.ts'
import type { FeedEvent, LoggedEvent } from '../domain/event.ts'
import { FLIGHT_MS } from '../domain/limits.ts'
import { laneOfAuthor } from '../domain/post-id.ts'
import type { ListKey } from '../ports/feeds.ts'
import { createRelay } from '../relay/relay.ts'

async function community(world: WriteWorld) {
  const [author, near, far] = (await world.users('author', 'near', 'far')) as [
    number,
    number,
    number
  ]
  for (const reader of [near, far]) await world.change('follow', reader, author)
  await world.settle()
  const lists: ListKey[] = [author, near, far].map(user => `feed:${user}` as const)
  lists.push(`timeline:${author}`)
  for (const list of lists) await world.pages.build(list)
  return { author, near, far, lists }
}

function logged(lane: number, ...events: readonly FeedEvent[]): LoggedEvent[] {
  return events.map((event, at) => ({ id: String(at), lane, event }))
}

async function warmOnes(world: WriteWorld, lists: readonly ListKey[]): Promise<ListKey[]> {
  const warm: ListKey[] = []
  for (const list of lists) if ((await world.warm(list)) !== null) warm.push(list)
  return warm
}

test('a new owner drops the lists that its predecessor may have pushed to too late', async t => {
  for (const part of ['done', 'ahead'] as const) {
    const world = await openWriteWorld(t, { slice: 1 })
    const { author, lists } = await community(world)
    const lane = laneOfAuthor(author)
    const post = await world.post(author)
    const past = { done: [], ahead: [], [part]: logged(lane, { type: 'post', author, post }) }
    await world.open(lane).recover?.(past)
    assert.deepEqual(
      await warmOnes(world, lists),
      lists,
      'a young post cannot have landed too late'
    )
    await world.clock.advance(FLIGHT_MS + 1)
    await world.open(lane).recover?.(past)
    assert.deepEqual(await warmOnes(world, lists), [])
  }
})

test('a relation under way drops the feed of its reader alone', async t => {
  const world = await openWriteWorld(t)
  const { author, near, lists } = await community(world)
  const done = logged(0, { type: 'relation', author, reader: near })
  await world.open(0).recover?.({ done, ahead: [] })
  assert.deepEqual(
    await warmOnes(world, lists),
    lists.filter(list => list !== `feed:${near}`)
  )
})

test('a poison event does not keep a lane from being taken over; what passes is tried again', async t => {
  const world = await openWriteWorld(t)
  const { author, near, lists } = await community(world)
  const poison = { type: 'post', author, post: 'no id' } as const
  const past = { done: logged(0, poison, { type: 'relation', author, reader: near }), ahead: [] }
  world.faults.feeds.drop = () => Promise.reject(new Problem('unavailable'))
  await assert.rejects(async () => world.open(0).recover?.(past), { code: 'unavailable' })
  world.faults.feeds.drop = () => Promise.reject(new TypeError('a fault'))
  await world.open(0).recover?.(past)
  delete world.faults.feeds.drop
  await world.open(0).recover?.(past)
  assert.ok(!(await warmOnes(world, lists)).includes(`feed:${near}`))
})

test('a process that takes lanes from another one drops what that had in flight', async t => {
  const world = await openWriteWorld(t)
  const { author, near, lists } = await community(world)
  const other: ListKey = `timeline:${near}`
  await world.pages.build(other)
  await world.post(author)
  await world.settle()
  await world.clock.advance(FLIGHT_MS + 1)
  assert.deepEqual(await warmOnes(world, lists), lists)
  await world.relay[Symbol.asyncDispose]()
  await using relay = createRelay(world)
  await relay.relayOnce()
  await relay.idle()
  assert.deepEqual(await warmOnes(world, [...lists, other]), [other])
})
