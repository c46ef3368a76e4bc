import assert from 'node:assert/strict'
import test from 'node:test'
import { eventually } from '../../../../../testkit/redis-feeds.ts'
import { startServer } from '../../../../../testkit/server.ts'
import { describeExplanation } from './explain.ts'

test('an operator reads the answer first, then its reasons and what they rest on', async t => {
  const { admin, client } = await startServer(t)
  await admin.batch({ users: [{ id: 'v' }], follows: [{ follower: 'v', followee: 'a' }] })
  await admin.settle()
  await admin.rebuild('v')
  const { id } = await client('a').createPost({ content: 'text' })
  await eventually(async () => (await admin.delivery(id)).state === 'done')
  await admin.settle()
  const lines = describeExplanation(await admin.explain('v', id))
  assert.deepEqual(lines.slice(0, 2), [
    `The feed of v shows the post ${id} of a.`,
    '  in_feed: It stands in the warm list of the feed.'
  ])
  const text = lines.join('\n')
  assert.match(text, /^ {2}pushed: It was pushed to the feed by worker \S+ at \d{4}-/m)
  assert.match(text, /^ {2}It is number 1, on page 1 of 20 posts each\.$/m)
  assert.match(text, /^feed {6}warm, complete above 0$/m)
  assert.match(text, /^event {5}\d+ in lane \d+, relayed at \d{4}-/m)
  assert.match(text, /^record .*: pushed \(push\), slice 1, took it; 1 pushed \(0 late\), 0 cold/m)
  assert.match(text, /^delivery {2}done, 1 of 1 slices of 1 followers, /m)
  const none = describeExplanation(await admin.explain('v', `${BigInt(id) + 1n}`))
  assert.match(none.join('\n'), /^The feed of v does not show the post \d+\.\n {2}post_unknown: /)
  assert.equal(none.length, 3)
})
