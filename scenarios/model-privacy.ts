// What people decide about requests, and what shows on pages and posts that are looked at directly.
import assert from 'node:assert/strict'
import { walk } from '../testkit/walk.ts'
import type { Model } from './model.ts'
import type { World } from './world.ts'

export async function decide(
  world: World,
  model: Model,
  kind: 'acceptRequest' | 'rejectRequest' | 'removeFollower',
  who: string,
  whom: string
): Promise<void> {
  if (who === whom) return
  const api = world.as(who)
  if (kind === 'removeFollower') {
    model.removeFollower(who, whom)
    await api.removeFollower(who, whom)
  } else if (kind === 'rejectRequest') {
    model.rejectRequest(who, whom)
    await api.rejectRequest(whom)
  } else if (model.acceptRequest(who, whom)) await api.acceptRequest(whom)
  else await assert.rejects(api.acceptRequest(whom), { code: 'request_not_found' })
}

/** At one post, and at an author's page. */
export async function look(
  world: World,
  model: Model,
  { who, whom, which }: { readonly who: string; readonly whom: string; readonly which: number }
): Promise<void> {
  const api = world.as(who)
  const ids = [...model.posts.keys()].sort().reverse()
  const id = ids[which]
  if (id !== undefined) {
    if (model.sees(who, id)) assert.equal((await api.getPost(id)).id, id)
    else await assert.rejects(api.getPost(id), { code: 'post_not_found' }, `${who} looks at ${id}`)
  }
  const code = model.refusal(who, whom)
  if (code !== null) return assert.rejects(api.userPosts(whom), { code }, `${who} looks at ${whom}`)
  const shown = ids.filter(
    post => model.posts.get(post)?.author === whom && !model.hides.has(`${who} ${post}`)
  )
  assert.deepEqual(await walk(query => api.userPosts(whom, query), 3), shown, `${whom} for ${who}`)
}

/** Lists of requests from both sides, and the profile. */
export async function checkRequests(world: World, model: Model, who: string): Promise<void> {
  const api = world.as(who)
  const pairs = [...model.requests].map(key => key.split(' '))
  for (const direction of ['incoming', 'outgoing'] as const) {
    const [mine, other] = direction === 'incoming' ? [1, 0] : [0, 1]
    const expected = pairs.filter(pair => pair[mine] === who).map(pair => pair[other])
    const { items } = await api.followRequests({ direction })
    assert.deepEqual(items.map(({ id }) => id).sort(), expected.sort(), `${direction} of ${who}`)
  }
  const { visibility, counts } = await api.getUser(who)
  assert.equal(visibility, model.privates.has(who) ? 'private' : 'public')
  const followers = [...model.follows].filter(key => key.endsWith(` ${who}`)).length
  assert.equal(counts.followers, followers, `followers of ${who}`)
}
