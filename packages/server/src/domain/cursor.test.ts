import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type Cursor, CursorCodec, type ListName } from './cursor.ts'
import { Problem } from './errors.ts'
import { END } from './post-id.ts'

const codec = new CursorCodec('a secret')
const lists = ['home', 'author', 'followers', 'following', 'blocks', 'mutes', 'users'] as const
const user = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
const cursors: fc.Arbitrary<Cursor> = fc.record({
  list: fc.constantFrom<ListName>(...lists),
  reader: user,
  owner: user,
  last: fc.bigInt({ min: 0n, max: BigInt(END) }).map(String)
})
const home: Cursor = { list: 'home', reader: 7, owner: 7, last: '1234567890123456789' }

function refuses(text: string, expected: Omit<Cursor, 'last'> = home, by = codec): void {
  assert.throws(
    () => by.decode(text, expected),
    (error: unknown) => {
      assert.ok(error instanceof Problem)
      assert.equal(error.code, 'invalid_cursor')
      assert.ok(error.message.isWellFormed() && error.message.length < 300)
      return true
    }
  )
}

test('a cursor comes back as it went', () => {
  fc.assert(
    fc.property(cursors, cursor => {
      const text = codec.encode(cursor)
      assert.match(text, /^[A-Za-z0-9_-]+$/)
      assert.equal(codec.decode(text, cursor), cursor.last)
      assert.equal(new CursorCodec('a secret').decode(text, cursor), cursor.last)
    })
  )
})

test('any changed, added or removed character is refused', () => {
  const text = codec.encode(home)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n\0é😀'
  for (let i = 0; i < text.length; i++) {
    refuses(text.slice(0, i) + text.slice(i + 1))
    refuses(text.slice(0, i))
    for (const other of alphabet) {
      if (other !== text[i]) refuses(text.slice(0, i) + other + text.slice(i + 1))
    }
  }
  for (const other of alphabet) {
    refuses(text + other)
    refuses(other + text)
  }
})

test('a cursor of another list, reader, owner or server is refused', () => {
  fc.assert(
    fc.property(cursors, cursors, (cursor, other) => {
      const text = codec.encode(cursor)
      for (const field of ['list', 'reader', 'owner'] as const) {
        if (other[field] === cursor[field]) continue
        refuses(text, { ...cursor, [field]: other[field] })
      }
      refuses(text, cursor, new CursorCodec('another secret'))
    })
  )
})

test('garbage of any kind is refused', () => {
  for (const text of ['', ' ', '0', 'null', 'undefined', '\0', '\ud800', '😀'.repeat(200), '=']) {
    refuses(text)
  }
  refuses('A'.repeat(10_240))
  refuses(`${'a'.repeat(39)}😀 cut in the middle of a pair`)
  fc.assert(fc.property(fc.string({ unit: 'binary' }), text => refuses(text)))
  fc.assert(fc.property(fc.base64String(), text => refuses(text)))
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 180 }), bytes =>
      refuses(Buffer.from(bytes).toString('base64url'))
    )
  )
})

test('a signed payload that is no position is refused', () => {
  for (const last of ['', '-1', '1.5', 'x', '1'.repeat(20)]) {
    refuses(codec.encode({ ...home, last }))
  }
})
