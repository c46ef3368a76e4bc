import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import fc from 'fast-check'
import { runs } from '../testkit/runs.ts'
import { walk } from '../testkit/walk.ts'
import { Model } from './model.ts'
import { checkRequests, decide, look } from './model-privacy.ts'
import type { Mode } from './modes.ts'
import { createWorld, type World, walkHome } from './world.ts'

const PEOPLE = ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay']
const RUNS = 4
const OPERATIONS = 120

const person = fc.constantFrom(...PEOPLE)
/** A place in the list of posts, newest first. */
const which = fc.nat(30)
const thresholds = fc.constantFrom('2', '3', '4', '100')

const operation = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('post' as const), who: person }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      who: person,
      ageMs: fc.constantFrom(1000, 20_000, 600_000, 90_000_000)
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'edit' as const), which })
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('follow' as const, 'unfollow' as const),
      who: person,
      whom: person
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('block' as const, 'unblock' as const, 'mute' as const),
      who: person,
      whom: person
    })
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...(['acceptRequest', 'acceptRequest', 'rejectRequest', 'removeFollower'] as const)
      ),
      who: person,
      whom: person
    })
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('turn' as const), who: person }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('look' as const), who: person, whom: person, which })
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('hide' as const), who: person, which }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('walk' as const),
      who: person,
      limit: fc.constantFrom(1, 3, 7, 50)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('held' as const),
      who: person,
      limit: fc.constantFrom(2, 5),
      author: person
    })
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('evict' as const), who: person }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('restart' as const), threshold: thresholds })
  }
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** Users relate to others only; the model and the server do the same. */
async function relate(
  world: World,
  model: Model,
  kind: 'follow' | 'unfollow' | 'block' | 'unblock' | 'mute',
  who: string,
  whom: string
) {
  if (who === whom) return
  const api = world.as(who)
  if (kind === 'mute') {
    if (model.toggle('mutes', who, whom)) await api.mute(whom)
    else await api.unmute(whom)
  } else if (kind === 'follow') {
    const state = model.follow(who, whom)
    if (state === null) await assert.rejects(api.follow(whom), { code: 'blocked' })
    else assert.deepEqual(await api.follow(whom), { state })
  } else {
    await api[kind](whom)
    model[kind](who, whom)
  }
}

async function change(world: World, model: Model, operation: Operation & { which: number }) {
  const ids = [...model.posts.keys()].sort().reverse()
  const id = ids[operation.which]
  if (id === undefined) return
  const { author } = model.posts.get(id) ?? { author: '' }
  if (operation.kind === 'delete') {
    await world.as(author).deletePost(id)
    model.posts.delete(id)
  }
  if (operation.kind === 'edit') {
    const content = `edited ${operation.which}`
    await world.as(author).editPost(id, { content })
    model.posts.set(id, { author, content })
  }
  if (operation.kind === 'hide') {
    const isHidden = model.hides.has(`${operation.who} ${id}`)
    if (!isHidden && !model.sees(operation.who, id)) return
    if (model.toggle('hides', operation.who, id)) await world.as(operation.who).hide(id)
    else await world.as(operation.who).unhide(id)
  }
}

/** Posts on their way may be missing from followers' feeds, but nothing forbidden shows and own posts are there. */
async function checkWalk(world: World, model: Model, who: string, limit: number) {
  const walked = await walkHome(world, who, limit)
  for (const id of walked) assert.ok(model.shows(who, id), `${who} sees ${id}`)
  const own = model.home(who).filter(id => model.posts.get(id)?.author === who)
  assert.deepEqual(
    walked.filter(id => own.includes(id)),
    own,
    `own posts of ${who}`
  )
}

/** A cursor held while others post and delete: what was there and stays is met exactly once. */
async function checkHeldCursor(
  world: World,
  model: Model,
  who: string,
  limit: number,
  author: string
) {
  await world.settle()
  const before = model.home(who)
  const walked = await walk(
    query => world.as(who).feed(query),
    limit,
    async page => {
      if (page !== 1) return
      const { id } = await world.as(author).createPost({ content: 'meanwhile' })
      model.posts.set(id, { author, content: 'meanwhile' })
      const [first] = before.slice(limit)
      const owner = first && model.posts.get(first)?.author
      if (!first || !owner) return
      await world.as(owner).deletePost(first)
      model.posts.delete(first)
    }
  )
  const after = new Set(model.home(who))
  assert.deepEqual(
    walked.filter(id => before.includes(id) && after.has(id)),
    before.filter(id => after.has(id))
  )
}

async function apply(world: World, model: Model, operation: Operation): Promise<void> {
  switch (operation.kind) {
    case 'post':
    case 'import': {
      const author = operation.who
      const content = `post ${model.posts.size}`
      const createdAt =
        operation.kind === 'import'
          ? new Date(Date.now() - operation.ageMs).toISOString()
          : undefined
      const id = createdAt
        ? (await world.admin.batch({ posts: [{ author, content, createdAt }] })).postIds[0]
        : (await world.as(author).createPost({ content })).id
      return void model.posts.set(id ?? '', { author, content })
    }
    case 'follow':
    case 'unfollow':
    case 'block':
    case 'unblock':
    case 'mute':
      return relate(world, model, operation.kind, operation.who, operation.whom)
    case 'acceptRequest':
    case 'rejectRequest':
    case 'removeFollower':
      return decide(world, model, operation.kind, operation.who, operation.whom)
    case 'turn': {
      const visibility = model.turn(operation.who)
      return void (await world.as(operation.who).putUser(operation.who, { visibility }))
    }
    case 'look':
      return look(world, model, operation)
    case 'delete':
    case 'edit':
    case 'hide':
      return change(world, model, operation)
    case 'walk':
      return checkWalk(world, model, operation.who, operation.limit)
    case 'held':
      return checkHeldCursor(world, model, operation.who, operation.limit, operation.author)
    case 'evict':
      return world.evict(operation.who)
    case 'flush':
      return world.evict()
    case 'settle':
      return world.settle()
    case 'restart':
      return world.restart({ settings: { cap: '10', threshold: operation.threshold } })
  }
}

async function checkAll(world: World, model: Model) {
  await world.settle()
  for (const who of PEOPLE) {
    const expected = model.home(who)
    for (const limit of [1, 4, 50])
      assert.deepEqual(await walkHome(world, who, limit), expected, who)
    await checkRequests(world, model, who)
    const { differences, examples } = await world.admin.verify(who)
    assert.equal(differences, 0, JSON.stringify(examples))
    for (const post of (await world.as(who).feed({ limit: 50 })).items)
      assert.equal(post.content, model.posts.get(post.id)?.content)
  }
}

async function run(t: TestContext, mode: Mode, operations: readonly Operation[]) {
  const world = await createWorld(t, mode, {
    settings: { cap: '10', threshold: '3' },
    limits: { graceMs: 20, slack: 3 }
  })
  await world.admin.batch({ users: PEOPLE.map(id => ({ id })) })
  const model = new Model()
  for (const operation of operations) await apply(world, model, operation)
  await checkAll(world, model)
  await world.stop()
}

for (const mode of ['embedded', 'http'] as const)
  test(`whatever people do, every walk is what plain sets say [${mode}]`, async t => {
    const operations = fc.array(operation, {
      minLength: OPERATIONS / 2,
      maxLength: OPERATIONS,
      size: 'max'
    })
    await fc.assert(
      fc.asyncProperty(operations, list => run(t, mode, list)),
      runs(RUNS)
    )
  })
