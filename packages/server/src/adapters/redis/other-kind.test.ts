// A Redis that holds feeds of another kind: FANWISE_FEEDS was changed, or differs between servers for a while.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { urlInEnvironment } from '../../../../../scripts/services/service.ts'
import { clock, joinFleet, warm } from '../../../../../testkit/redis-feeds.ts'
import { without } from '../../../../../testkit/services.ts'
import { END, makePostId } from '../../domain/post-id.ts'
import type { Feeds } from '../../ports/feeds.ts'

const OPERATIONS: Record<string, (feeds: Feeds, id: string) => Promise<unknown>> = {
  push: (feeds, id) => feeds.push([{ list: 'feed:1', id }]),
  take: feeds => feeds.take('feed:1', END, 10),
  lowestFloor: feeds => feeds.lowestFloor('feed:1'),
  begin: feeds => feeds.begin('feed:1', 'x'),
  finish: feeds => feeds.finish('feed:1', 'x', [], true),
  settle: feeds => feeds.settle('feed:1'),
  remove: (feeds, id) => feeds.remove('feed:1', [id])
}

async function twoKinds(t: TestContext) {
  const urls = [urlInEnvironment('redis') ?? '']
  const prefix = `${randomUUID()}:`
  const lists = await joinFleet(t, urls, { prefix, kind: 'list' })
  const zsets = await joinFleet(t, urls, { prefix, kind: 'zset' })
  return { list: lists.feeds, zset: zsets.feeds }
}

for (const [from, to] of [
  ['list', 'zset'],
  ['zset', 'list']
] as const)
  for (const [name, operation] of Object.entries(OPERATIONS))
    test(`${name} of a ${to} finds a ${from}: it is dropped`, {
      skip: without('redis')
    }, async t => {
      const feeds = await twoKinds(t)
      const ids = [2000, 3000].map(age => makePostId(Math.floor(clock.now()) - age, 7, 0))
      const [late = '', older = ''] = ids
      await warm(feeds[from], 'feed:1', [older])
      await warm(feeds[from], 'feed:2', [older])
      const result = await operation(feeds[to], late)
      if (name === 'push') assert.deepEqual(result, ['dropped'])
      if (name === 'begin') assert.equal(result, true)
      // Settling sorted sets is nothing to do.
      if (name === 'settle' && to === 'zset') return
      if (name !== 'begin') assert.equal((await feeds[from].take('feed:1', END, 1)).state, 'cold')
      assert.deepEqual((await feeds[from].take('feed:2', END, 1)).ids, [older])
      assert.equal((await feeds[to].stats()).warm, 0)
    })
