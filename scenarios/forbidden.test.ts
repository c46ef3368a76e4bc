// Whatever people decide about each other, no raw answer of any read shows what its reader may not see.
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Page, Post, PostId } from '@fanwise/sdk'
import fc from 'fast-check'
import { runs } from '../testkit/runs.ts'
import { startServer, type TestServer } from '../testkit/server.ts'
import { Model } from './model.ts'

const PEOPLE = ['ann', 'bob', 'cyd', 'dan', 'eve']
const STEPS = 60
const CHECK_EVERY = 15
const RUNS = 1

const person = fc.constantFrom(...PEOPLE)
const step = fc.record({
  kind: fc.constantFrom(
    ...(['post', 'post', 'follow', 'follow', 'follow', 'unfollow', 'block', 'unblock'] as const),
    ...(['mutes', 'hides', 'delete', 'edit', 'turn', 'accept', 'accept', 'evict'] as const)
  ),
  who: person,
  whom: person,
  which: fc.nat(30)
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A server, the plain sets that it has to agree with, and every text that posts had. */
class Play {
  readonly model = new Model()
  readonly #server: TestServer
  /** A secret word of each text, with whose post it is of; kept when the post is gone or says something else. */
  readonly #texts: { readonly word: string; readonly id: PostId }[] = []
  readonly #authors = new Map<PostId, string>()

  constructor(server: TestServer) {
    this.#server = server
  }

  #word(): string {
    return `secret-${this.#texts.length}-`
  }

  async #say(author: string, id: PostId | null): Promise<void> {
    const [word, api] = [this.#word(), this.#server.client(author)]
    const post = { content: `${word} of ${author}`, attrs: { word } }
    const made = id === null ? await api.createPost(post) : await api.editPost(id, post)
    this.#texts.push({ word, id: made.id })
    this.#authors.set(made.id, author)
    this.model.posts.set(made.id, { author, content: post.content })
  }

  /** Everybody follows everybody, and has said something. */
  async begin(): Promise<void> {
    const follows = PEOPLE.flatMap(follower =>
      PEOPLE.filter(followee => followee !== follower).map(followee => ({ follower, followee }))
    )
    await this.#server.admin.batch({ users: PEOPLE.map(id => ({ id })), follows })
    for (const { follower, followee } of follows) this.model.follow(follower, followee)
    for (const author of PEOPLE) await this.#say(author, null)
  }

  async take({ kind, who, whom, which }: Step): Promise<void> {
    if (kind === 'post') return this.#say(who, null)
    if (kind === 'evict') return this.#server.app.ports.feeds.clear()
    if (kind === 'turn') {
      const visibility = this.model.turn(who)
      return void (await this.#server.client(who).putUser(who, { visibility }))
    }
    if (kind === 'delete' || kind === 'edit' || kind === 'hides')
      return this.#change(kind, who, which)
    if (who !== whom) await this.#relate(kind, who, whom)
  }

  async #change(kind: 'delete' | 'edit' | 'hides', who: string, which: number): Promise<void> {
    const id = [...this.model.posts.keys()][which]
    const author = id === undefined ? undefined : this.#authors.get(id)
    if (id === undefined || author === undefined) return
    if (kind === 'edit') return this.#say(author, id)
    if (kind === 'delete') {
      this.model.posts.delete(id)
      return this.#server.client(author).deletePost(id)
    }
    if (!this.model.sees(who, id)) return
    await this.#server.client(who)[this.model.toggle(kind, who, id) ? 'hide' : 'unhide'](id)
  }

  async #relate(
    kind: 'follow' | 'unfollow' | 'block' | 'unblock' | 'mutes' | 'accept',
    who: string,
    whom: string
  ): Promise<void> {
    const api = this.#server.client(who)
    if (kind === 'mutes') return api[this.model.toggle(kind, who, whom) ? 'mute' : 'unmute'](whom)
    if (kind === 'accept') {
      if (this.model.acceptRequest(who, whom)) await api.acceptRequest(whom)
    } else if (kind === 'follow') {
      if (this.model.follow(who, whom) !== null) await api.follow(whom)
    } else {
      this.model[kind](who, whom)
      await api[kind](whom)
    }
  }

  /** Every read that a person has, as raw text. */
  async *#reads(reader: string): AsyncGenerator<readonly [string, string]> {
    const headers = { authorization: `Bearer ${await this.#server.token(reader)}` }
    const ids = [...this.#authors.keys()]
    const [oldest = ''] = ids.toSorted()
    const paths = ['feed?limit=100', 'blocks', 'mutes', 'follow-requests']
    if (oldest !== '') paths.push(`feed?after=${oldest}&limit=100`)
    for (const other of PEOPLE)
      for (const list of ['', '/posts?limit=100', '/followers', '/following'])
        paths.push(`users/${other}${list}`)
    for (const id of ids) paths.push(`posts/${id}`)
    for (const path of paths) {
      const answer = await fetch(`${this.#server.url}/v1/${path}`, { headers })
      assert.ok(answer.status < 500, path)
      yield [path, await answer.text()]
    }
  }

  async check(): Promise<void> {
    for (const reader of PEOPLE)
      for await (const [path, body] of this.#reads(reader)) {
        for (const { word, id } of this.#texts)
          if (body.includes(word)) this.#mayShow(reader, path, id, word)
        if (path.startsWith('feed') && body !== '') this.#isOf(reader, path, body)
      }
  }

  #mayShow(reader: string, path: string, id: PostId, word: string): void {
    const { model } = this
    const what = `${reader} reads ${word} on ${path}`
    assert.ok(model.posts.get(id)?.content.startsWith(`${word} `), `${what}, a text of the past`)
    assert.ok(model.sees(reader, id), what)
    const author = model.posts.get(id)?.author
    if (path.startsWith('feed')) assert.ok(model.shows(reader, id), what)
    if (path.startsWith('users/')) {
      assert.equal(path.split('/')[1], author, what)
      assert.ok(!model.hides.has(`${reader} ${id}`), what)
    }
    if (path.startsWith('posts/')) assert.equal(path.split('/')[1], id, what)
  }

  /** Authors in a feed are the reader and whom they follow. */
  #isOf(reader: string, path: string, body: string): void {
    const { items } = JSON.parse(body) as Page<Post>
    for (const { author } of items)
      assert.ok(
        author.id === reader || this.model.follows.has(`${reader} ${author.id}`),
        `${reader} reads ${author.id} on ${path}`
      )
  }
}

test('no raw answer of any read shows what its reader may not see, nor posts of whom they do not follow', async t => {
  const steps = fc.array(step, { minLength: STEPS, maxLength: STEPS, size: 'max' })
  const property = fc.asyncProperty(steps, async all => {
    const server = await startServer(t, {
      settings: { cap: '10', threshold: '3' },
      limits: { graceMs: 20, slack: 2 }
    })
    const play = new Play(server)
    await play.begin()
    for (const [n, one] of all.entries()) {
      await play.take(one)
      if (n % CHECK_EVERY === CHECK_EVERY - 1) await play.check()
    }
    await server.admin.settle()
    await play.check()
    await server[Symbol.asyncDispose]()
  })
  await fc.assert(property, runs(RUNS))
})

test('BL-02: nothing of who is blocked comes through others, either way', async t => {
  const server = await startServer(t)
  const [v, zed, b] = [server.client('v'), server.client('zed-handle'), server.client('b')]
  await v.putUser('v', { visibility: 'private', name: 'vera-name' })
  await zed.putUser('zed-handle', { name: 'zed-name', attributes: { bio: 'zed-bio' } })
  await b.putUser('b', {})
  // They meet in every list that there is.
  for (const api of [v, zed]) await api.follow('b')
  await b.follow('zed-handle')
  await b.follow('v')
  await v.acceptRequest('b')
  await zed.follow('v')
  await v.follow('zed-handle')
  await v.mute('zed-handle')
  await zed.mute('v')
  const ofZed = await zed.createPost({ content: 'zed-text' })
  const ofB = await b.createPost({ content: 'b' })
  for (const api of [v, zed]) await api.like(ofB.id)
  await v.like(ofZed.id)
  await v.feed()
  await server.admin.settle()
  const paths = ['feed', 'mutes', 'follow-requests', 'follow-requests?direction=outgoing']
  for (const list of ['', '/posts', '/followers', '/following']) paths.push(`users/b${list}`)
  for (const user of ['v', 'zed-handle'])
    paths.push(`users/${user}/posts`, `users/${user}/followers`)
  paths.push('feed/newer?after=1000000000000000000', `posts/${ofZed.id}`, `posts/${ofB.id}`)
  const read = async (reader: string) => {
    const headers = { authorization: `Bearer ${await server.token(reader)}` }
    const bodies = paths.map(async path => {
      const body = await (await fetch(`${server.url}/v1/${path}`, { headers })).text()
      // A refusal may repeat the id that was asked for.
      return path.includes(reader === 'v' ? 'zed' : '/v/')
        ? body.replaceAll('zed-handle', '')
        : body
    })
    return (await Promise.all(bodies)).join('\n')
  }
  assert.match(await read('v'), /zed-(handle|name|text)/)
  assert.match(await read('zed-handle'), /vera-name/)
  await v.block('zed-handle')
  for (const _ of ['at once', 'settled']) {
    assert.doesNotMatch(await read('v'), /zed-(handle|name|bio|text)/)
    assert.doesNotMatch(await read('zed-handle'), /vera-name/)
    await server.admin.settle()
  }
})
