import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { COMMITS_MAX, CommitCodec, changesRules, type Trace } from './commit.ts'
import { CursorCodec } from './cursor.ts'
import { Problem } from './errors.ts'
import { FIRST_MS, LAST_MS, makePostId } from './post-id.ts'

const codec = new CommitCodec('a secret')
const user = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const post = fc
  .tuple(fc.integer({ min: FIRST_MS, max: LAST_MS }), fc.nat(511), fc.nat(4095))
  .map(parts => makePostId(...parts))
const plain = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T>(model, { noNullPrototype: true })
const traces: fc.Arbitrary<Trace> = fc.oneof(
  plain({ kind: fc.constant('post' as const), author: user, post }),
  plain({ kind: fc.constant('rules' as const), reader: user }),
  plain({ kind: fc.constant('follow' as const), reader: user, author: user })
)

function refuses(text: string, by = codec): void {
  assert.throws(
    () => by.decode(text),
    (error: unknown) => {
      assert.ok(error instanceof Problem)
      assert.equal(error.code, 'invalid_commit')
      assert.ok(error.message.isWellFormed() && error.message.length < 300)
      return true
    }
  )
}

test('traces come back as they went, several as one text', () => {
  fc.assert(
    fc.property(fc.array(traces, { minLength: 1, maxLength: COMMITS_MAX }), list => {
      const tokens = list.map(trace => codec.encode(trace))
      for (const token of tokens) assert.match(token, /^[A-Za-z0-9_-]+$/)
      assert.deepEqual(codec.decode(tokens.join(',')), list)
      assert.deepEqual(new CommitCodec('a secret').decode(tokens.join(', ')), list)
    })
  )
})

test('what was changed, cut short, made for something else or is too much is refused', () => {
  const token = codec.encode({ kind: 'rules', reader: 7 })
  for (let i = 0; i < token.length; i++) {
    refuses(token.slice(0, i))
    refuses(token.slice(0, i) + (token[i] === 'A' ? 'B' : 'A') + token.slice(i + 1))
  }
  const cursor = { list: 'home', reader: 7, owner: 7, last: '1234567890123456789' } as const
  refuses(new CursorCodec('a secret').encode(cursor))
  refuses(token, new CommitCodec('another secret'))
  for (const text of [
    '',
    ',',
    `${token},`,
    `,${token}`,
    `${token} ${token}`,
    'x'.repeat(10_000),
    '😀'
  ])
    refuses(text)
  const many = Array.from({ length: COMMITS_MAX + 1 }, () => token)
  refuses(many.join(','))
  assert.equal(codec.decode(many.slice(1).join(',')).length, COMMITS_MAX)
})

test('rules and follows change the rules of their reader, posts of nobody', () => {
  const of = (trace: Trace, reader: number) => changesRules([trace], reader)
  assert.equal(of({ kind: 'rules', reader: 7 }, 7), true)
  assert.equal(of({ kind: 'rules', reader: 7 }, 8), false)
  assert.equal(of({ kind: 'follow', reader: 7, author: 8 }, 7), true)
  assert.equal(of({ kind: 'follow', reader: 7, author: 8 }, 8), false)
  assert.equal(of({ kind: 'post', author: 7, post: '1234567890123456789' }, 7), false)
})
