import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test, { type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ImportKind, Parsed } from './record.ts'
import { openSource, type SourceOptions } from './source.ts'
import { spreadOver } from './spread.ts'
import { parseTime } from './time.ts'

async function read(
  t: TestContext,
  name: string,
  bytes: string | Uint8Array,
  options: Partial<SourceOptions> & { kind?: ImportKind } = {}
): Promise<Parsed[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fanwise-import-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = path.join(folder, name)
  await writeFile(file, bytes)
  const source = await openSource(file, { undirected: false, columns: new Map(), ...options })
  return Array.fromAsync(source)
}

/** What was read, apart from where. */
async function readValues(...args: Parameters<typeof read>): Promise<unknown[]> {
  return (await read(...args)).map(({ line, ...record }) => {
    assert.ok(line > 0)
    return record
  })
}

const follow = (follower: string, followee: string) => ({
  kind: 'follow',
  value: { follower, followee }
})

test('edge lists: space, tab and comma, comments, further columns, windows line ends', async t => {
  const text = '\uFEFF# a comment\r\n% another\r\n1 2\r\n3\t4 0.5\r\n5,6\r\n\r\n7 , 8\r\n'
  const expected = [follow('1', '2'), follow('3', '4'), follow('5', '6'), follow('7', '8')]
  assert.deepEqual(await readValues(t, 'graph.edges', text), expected)
  assert.deepEqual(await readValues(t, 'graph.txt.gz', gzipSync(text)), expected)
})

test('undirected edges are two follows; wrong lines are told and left out', async t => {
  const records = await read(t, 'graph.edges', '1 2\n3\n4 4\nx y/z\n', { undirected: true })
  const line = { line: 1 }
  assert.deepEqual(records.slice(0, 2), [
    { ...follow('1', '2'), ...line },
    { ...follow('2', '1'), ...line }
  ])
  const rejected = records.slice(2)
  assert.deepEqual(
    rejected.map(record => record.kind === 'rejected' && record.line),
    [2, 3, 4]
  )
})

test('CSV posts: quotes, commas and line ends in the text; columns by their usual names', async t => {
  const text =
    'created_at,author,text\n2017-08-27T00:05:34Z,u1,"a ""b"", c\nd 😲"\n2017-08-27 00:05:35,u2,שלום\n'
  const [first, second] = await read(t, 'posts.csv', text)
  assert.ok(first?.kind === 'post' && second?.kind === 'post')
  assert.equal(first.value.content, 'a "b", c\nd 😲')
  assert.equal(first.value.createdAt, '2017-08-27T00:05:34.000Z')
  assert.equal(second.value.createdAt, '2017-08-27T00:05:35.000Z')
  assert.notEqual(first.value.externalId, second.value.externalId)
})

test('mapped columns, another delimiter, and NDJSON read alike', async t => {
  const columns = new Map([
    ['writer', 'author'],
    ['message', 'content'],
    ['when', 'createdAt'],
    ['key', 'externalId']
  ])
  const csv = await readValues(t, 'posts.csv', 'when|writer|message|key\n1500000000|u1|hi|k1\n', {
    columns,
    kind: 'posts'
  })
  const line = JSON.stringify({ when: 1500000000000, writer: 'u1', message: 'hi', key: 'k1' })
  const ndjson = await readValues(t, 'posts.ndjson', `${line}\n`, { columns })
  assert.deepEqual(csv, ndjson)
  const value = {
    author: 'u1',
    content: 'hi',
    createdAt: '2017-07-14T02:40:00.000Z',
    externalId: 'k1'
  }
  assert.deepEqual(csv, [{ kind: 'post', value }])
})

test('the same file gives the same external ids, and equal posts of one file differ', async t => {
  const text = 'author,text\na,hi\na,hi\nb,hi\n'
  const ids = async () =>
    (await read(t, 'posts.csv', text)).map(
      record => record.kind === 'post' && record.value.externalId
    )
  const first = await ids()
  assert.deepEqual(await ids(), first)
  assert.equal(new Set(first).size, 3)
})

test('an empty cell is no value, in each column that may be absent', async t => {
  const [post, plain] = await readValues(
    t,
    'posts.csv',
    'author,user,text,created_at,external_id,attrs\n,a,hi,,,\na,,hi,,k,\n'
  )
  const value = { author: 'a', content: 'hi' }
  const { externalId, ...rest } = (post as { value: Record<string, string> }).value
  assert.ok(externalId)
  assert.deepEqual([rest, plain], [value, { kind: 'post', value: { ...value, externalId: 'k' } }])
  const users = 'id,name,avatar,attributes,visibility\na,,,,\n'
  const bare = [{ kind: 'user', value: { id: 'a' } }]
  assert.deepEqual(await readValues(t, 'users.csv', users, { kind: 'users' }), bare)
  const likes = 'user,post,author,external_id\na,k,b,\n'
  const like = { user: 'a', author: 'b', externalId: 'k' }
  assert.deepEqual(await readValues(t, 'likes.csv', likes), [{ kind: 'like', value: like }])
  const line =
    '{"author": "a", "content": "hi", "createdAt": null, "externalId": "k", "attrs": ""}\n'
  assert.deepEqual(await readValues(t, 'posts.ndjson', line), [plain])
})

test('posts that cannot be stored are told with their line and left out', async t => {
  const lines = [
    'author,text,created_at',
    'a b,x,2020-01-01',
    'a,,2020-01-01',
    'a,nul\0,2020-01-01',
    'a,x,yesterday',
    'a,fine,2020-01-01'
  ]
  const records = await read(t, 'posts.csv', lines.join('\n'))
  assert.deepEqual(
    records.map(({ kind }) => kind),
    ['rejected', 'rejected', 'rejected', 'rejected', 'post']
  )
})

test('times out of range and texts that are too long are told with their line', async t => {
  const long = 'x'.repeat(201)
  const posts = [
    'author,text,created_at',
    'a,too old,1970-01-01T00:00:00Z',
    '"a","of two\nlines",2020-01-01',
    'a,not yet,2109-01-01'
  ]
  const read1 = await read(t, 'posts.csv', posts.join('\n'))
  assert.deepEqual(
    read1.map(({ kind, line }) => [kind, line]),
    [
      ['rejected', 2],
      ['post', 3],
      ['rejected', 5]
    ]
  )
  const [user] = await read(t, 'users.csv', `id,name\na,${long}\n`)
  assert.match(user?.kind === 'rejected' ? user.reason : '', /name has 201 characters/)
})

test('names that every object has are no kinds and no columns', async t => {
  const lines =
    '{"kind":"constructor","user":"bob"}\n{"kind":"toString"}\n{"kind":"user","id":"zed"}\n'
  const kinds = (await read(t, 'all.ndjson', lines)).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['rejected', 'rejected', 'user'])
  const [post] = await read(t, 'posts.csv', 'author,text,constructor\na,hi,x\n')
  assert.equal(post?.kind, 'post')
})

test('NDJSON that is no JSON is told; likes by id or by external id', async t => {
  const lines = [
    '{"user":"u","post":"1234567890123456789"}',
    '{"user":"u","post":"k","author":"a"}',
    '{"user":"u","post":"k"}',
    'nonsense',
    '[1]'
  ]
  const records = await read(t, 'likes.jsonl', lines.join('\n'), { kind: 'likes' })
  assert.deepEqual(records.slice(0, 2), [
    { kind: 'like', line: 1, value: { user: 'u', post: '1234567890123456789' } },
    { kind: 'like', line: 2, value: { user: 'u', author: 'a', externalId: 'k' } }
  ])
  assert.deepEqual(
    records.slice(2).map(({ kind }) => kind),
    ['rejected', 'rejected', 'rejected']
  )
})

test('a file whose kind cannot be told asks for it', async t => {
  await assert.rejects(read(t, 'x.csv', 'foo,bar\n1,2\n'), /--kind/)
})

test('times: seconds, ms and us since 1970, ISO with and without zone; nonsense is refused', () => {
  const expected = '2017-07-14T02:40:00.000Z'
  for (const time of [
    '1500000000',
    1500000000000,
    '1500000000000000',
    '2017-07-14T02:40:00Z',
    '2017-07-14 02:40:00',
    '2017-07-14T04:40:00+02:00'
  ])
    assert.equal(parseTime(time), expected)
  for (const time of ['', 'x', '2017-13-45', '99999999999999999999'])
    assert.equal(parseTime(time), undefined)
})

test('spread gives each author one of the people, always the same', () => {
  const people = ['p1', 'p2', 'p3']
  const spread = spreadOver(people)
  const post = (author: string): Parsed => ({
    kind: 'post',
    line: 1,
    value: { author, content: 'x' }
  })
  const author = (record: Parsed) => (record.kind === 'post' ? record.value.author : '')
  const first = Array.from({ length: 50 }, (_, n) => author(spread(post(`u${n}`))))
  assert.deepEqual(
    first,
    Array.from({ length: 50 }, (_, n) => author(spreadOver(people)(post(`u${n}`))))
  )
  assert.deepEqual(new Set(first), new Set(people))
  assert.throws(() => spreadOver([]), /nobody/)
})
