// What answers tell of posts and people who are not for the reader, and whom a request in vain makes.
import assert from 'node:assert/strict'
import test from 'node:test'
import { FanwiseError } from '@fanwise/sdk'
import { startServer } from '../../../../testkit/server.ts'

/** The code and the message of a refusal, without the id that was asked for. */
async function refusal(work: Promise<unknown>, asked: string): Promise<string> {
  const error = await work.then(
    () => assert.fail('was not refused'),
    (error: unknown) => error
  )
  assert.ok(error instanceof FanwiseError)
  return `${error.code} ${error.message.replaceAll(asked, '*')}`
}

const NOWHERE = '3766607006120787991'

test('hidden and unknown are answered in the same words', async t => {
  const { client, admin } = await startServer(t)
  const [ann, bob] = [client('ann'), client('bob')]
  const { id } = await ann.createPost({ content: 'x' })
  await client('gone').putUser('gone', {})
  await client('gone').deleteMe()
  await client('held').putUser('held', {})
  await admin.suspend('held')
  await bob.putUser('bob', {})
  await ann.block('bob')
  await client('shy').putUser('shy', { visibility: 'private' })
  const secret = await client('shy').createPost({ content: 'x' })
  const ofPost = [
    (post: string) => bob.deletePost(post),
    (post: string) => bob.editPost(post, { content: 'y' }),
    (post: string) => bob.getPost(post),
    (post: string) => bob.like(post),
    (post: string) => bob.hide(post)
  ]
  for (const ask of ofPost) {
    const unknown = await refusal(ask(NOWHERE), NOWHERE)
    for (const hidden of [id, secret.id]) assert.equal(await refusal(ask(hidden), hidden), unknown)
  }
  const ofUser = [
    (user: string) => bob.getUser(user),
    (user: string) => bob.userPosts(user),
    (user: string) => bob.userPosts(user, { cursor: 'abc' }),
    (user: string) => bob.followers(user, { cursor: 'abc' })
  ]
  for (const ask of ofUser) {
    const unknown = await refusal(ask('nobody'), 'nobody')
    for (const hidden of ['ann', 'gone', 'held'])
      assert.equal(await refusal(ask(hidden), hidden), unknown)
  }
  for (const kind of ['follow', 'mute', 'block'] as const) {
    const unknown = await refusal(bob[kind]('nobody'), 'nobody')
    for (const hidden of ['gone', 'held'])
      assert.equal(await refusal(bob[kind](hidden), hidden), unknown)
  }
})

test('who is blocked can defend themselves, and undo what they like', async t => {
  const { client } = await startServer(t)
  const [ann, bob] = [client('ann'), client('bob')]
  await Promise.all([ann.putUser('ann', {}), bob.putUser('bob', {})])
  await ann.block('bob')
  assert.match(await refusal(bob.follow('ann'), 'ann'), /^blocked/)
  await bob.mute('ann')
  await bob.block('ann')
  for (const user of ['ann', 'nobody'])
    for (const undo of ['unfollow', 'unmute', 'unblock'] as const) await bob[undo](user)
})

test('nobody stands in a relation to themselves, and undoing it is no error', async t => {
  const { client } = await startServer(t)
  const ann = client('ann')
  for (const undo of ['unfollow', 'unmute', 'unblock', 'rejectRequest'] as const)
    await ann[undo]('ann')
  await ann.removeFollower('ann', 'ann')
  for (const act of ['follow', 'mute', 'block', 'acceptRequest'] as const)
    assert.match(await refusal(ann[act]('ann'), 'ann'), /^self_relation/)
})

test('a first request in vain makes nobody', async t => {
  const { client, admin } = await startServer(t)
  const { id } = await client('ann').createPost({ content: 'x' })
  const vain = [
    () => client('b1').follow('nobody'),
    () => client('b2').block('nobody'),
    () => client('b3').like(NOWHERE),
    () => client('b4').hide(NOWHERE),
    () => client('b5').deletePost(NOWHERE),
    () => client('b6').createPost({ content: '\0' }),
    () => client('b7').putUser('b7', { name: '\0' }),
    () => client('b8').follow('b8')
  ]
  for (const ask of vain) await assert.rejects(ask())
  assert.deepEqual(
    (await admin.users()).items.map(user => user.id),
    ['ann']
  )
  await client('b9').like(id)
  assert.equal((await admin.stats()).users, 2)
})

test('who is suspended may leave, and change nothing before', async t => {
  const { client, admin, url, serverKey } = await startServer(t)
  await client('ann').putUser('ann', { name: 'Ann' })
  await admin.suspend('ann')
  await assert.rejects(client('ann').putUser('ann', {}), { code: 'account_suspended' })
  const headers = {
    authorization: `Bearer ${serverKey}`,
    'fanwise-user': 'ann',
    'content-type': 'application/json'
  }
  const put = await fetch(`${url}/v1/users/ann`, { method: 'PUT', headers, body: '{}' })
  assert.equal(put.status, 403)
  assert.equal((await admin.putUser('ann', { name: 'A.' })).name, 'A.')
  await client('ann').deleteMe()
  await assert.rejects(client('ann').feed(), { code: 'account_gone' })
})
