import assert from 'node:assert/strict'
import test from 'node:test'
import { startServer } from '../../../../testkit/server.ts'

const key = (idempotencyKey: string) => ({ idempotencyKey })

test('what was done is answered again, whatever happened to post and people since', async t => {
  const { client, admin } = await startServer(t)
  const [ann, bob, cid] = [client('ann'), client('bob'), client('cid')]
  const first = await ann.createPost({ content: 'one' }, key('post'))
  const edited = await ann.editPost(first.id, { content: 'two' }, key('edit'))
  const writes = [
    () => bob.like(first.id, key('like')),
    () => bob.hide(first.id, key('hide')),
    () => cid.follow('ann', key('follow')),
    () => cid.mute('ann', key('mute')),
    () => bob.block('ann', key('block'))
  ]
  for (const write of writes) await write()
  await ann.editPost(first.id, { content: 'three' })
  assert.deepEqual(await ann.editPost(first.id, { content: 'two' }, key('edit')), edited)
  for (const write of writes) await write()
  await admin.suspend('bob')
  await admin.suspend('ann')
  for (const write of writes) await write()
  assert.deepEqual(await ann.createPost({ content: 'one' }, key('post')), first)
  await assert.rejects(cid.follow('ann'), { code: 'user_not_found' })
  await assert.rejects(cid.follow('ann', key('other')), { code: 'user_not_found' })
  await assert.rejects(cid.unfollow('ann', key('follow')), { code: 'idempotency_conflict' })
  await admin.unsuspend('ann')
  await ann.deletePost(first.id, key('delete'))
  await ann.deletePost(first.id, key('delete'))
  for (const write of writes) await write()
  const blank = { content: '', attrs: {} }
  assert.deepEqual(await ann.createPost({ content: 'one' }, key('post')), { ...first, ...blank })
  const again = await ann.editPost(first.id, { content: 'two' }, key('edit'))
  assert.deepEqual([again.content, again.editedAt], ['', edited.editedAt])
  await assert.rejects(ann.editPost(first.id, { content: 'two' }), { code: 'post_not_found' })
})

test('a deleted account answers what was done before, and that it is deleted', async t => {
  const { client } = await startServer(t)
  const ann = client('ann')
  const post = await ann.createPost({ content: 'one' }, key('post'))
  const profile = { name: 'Ann', attributes: { secret: 'one' } }
  await ann.putUser('ann', profile, key('put'))
  await ann.deleteMe(key('delete'))
  const wordless = await ann.putUser('ann', profile, key('put'))
  assert.deepEqual([wordless.name, wordless.attributes], [null, {}])
  assert.equal((await ann.createPost({ content: 'one' }, key('post'))).content, '')
  await ann.deleteMe(key('delete'))
  assert.equal((await ann.createPost({ content: 'one' }, key('post'))).id, post.id)
  await ann.deleteMe()
  await ann.deleteMe(key('other'))
  await assert.rejects(ann.deleteMe(key('post')), { code: 'idempotency_conflict' })
  await assert.rejects(client('nobody').deleteMe(), { code: 'user_not_found' })
  await assert.rejects(ann.createPost({ content: 'two' }, key('two')), { code: 'account_gone' })
})
