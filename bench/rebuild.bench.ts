import { Pool } from 'pg'
import { Random } from '../packages/server/src/cli/generate/random.ts'
import type { ListKey } from '../packages/server/src/ports/feeds.ts'
import { buildFeed } from '../packages/server/src/rebuild/build.ts'
import type { Bench, BenchContext, Measured, Prepared } from './harness/bench.ts'
import { closedLoop } from './harness/closed-loop.ts'
import { median } from './harness/statistics.ts'
import { openPipeline, type Pipeline, startOwn } from './pipeline.ts'

const READERS = 200
const FOLLOWS = 200
const AUTHORS = 1000
const POSTS = 200_000
const SPAN_MS = 30 * 86_400_000
const BATCH = 1000
const CAP = 800
const PAGE = 20
/** Readers who open their feed at the same time. */
const WIDTH = 8
const SEED = 7

interface People {
  readonly readers: readonly number[]
  readonly ids: readonly string[]
  readonly lists: readonly ListKey[]
}

/** Tables as somebody would make them for this one question, each with the index that it wants. */
const PLAIN = `
  create table plain_posts as select id, author, content, attrs from posts;
  alter table plain_posts add primary key (id);
  create index on plain_posts (author, id desc);
  create table plain_follows as select follower, followee from follows;
  alter table plain_follows add primary key (follower, followee);
  vacuum analyze`

const PLAIN_PAGE = {
  name: 'plain_page',
  text: `select p.id, p.content, p.attrs, u.id as author, u.name, u.avatar
    from plain_posts p join users u on u.number = p.author
    where p.author in (select followee from plain_follows where follower = $1)
    order by p.id desc limit ${PAGE}`
}

const PLAIN_IDS = {
  name: 'plain_ids',
  text: `select id from plain_posts
    where author in (select followee from plain_follows where follower = $1)
    order by id desc limit ${CAP + 1}`
}

async function fill({ ports }: Pipeline, posts: number): Promise<People> {
  const { store } = ports
  const random = new Random(SEED)
  const numbers = async (name: string, count: number) => {
    const ids = Array.from({ length: count }, (_, index) => `${name}${index}`)
    return (await store.ensureUsers(ids)).map(({ number }) => number)
  }
  const authors = await numbers('author', AUTHORS)
  const readers = await numbers('reader', READERS)
  for (const reader of readers) {
    const chosen = new Set<number>()
    while (chosen.size < FOLLOWS) chosen.add(random.pick(authors))
    await store.followMany([...chosen].map(author => ({ reader, author })))
  }
  const now = Date.now()
  for (let made = 0; made < posts; made += BATCH)
    await store.importPosts(
      Array.from({ length: BATCH }, (_, index) => ({
        author: random.pick(authors),
        content: `Post ${made + index}, with about as many words as people write on a usual day.`,
        attrs: {},
        createdAt: now - Math.floor(random.next() * SPAN_MS),
        externalId: null
      }))
    )
  const users = await store.usersByNumbers(readers)
  return {
    readers,
    ids: users.map(({ id }) => id),
    lists: readers.map(reader => `feed:${reader}` as const)
  }
}

async function msEach(readers: readonly number[], work: (reader: number) => Promise<unknown>) {
  const times = []
  for (const reader of readers) {
    const start = performance.now()
    await work(reader)
    times.push(performance.now() - start)
  }
  return median(times)
}

function variantsOf(pipeline: Pipeline, people: People, pool: Pool) {
  const { feed, ports, limits } = pipeline
  const { readers, ids, lists } = people
  const makeCold = async () => {
    await feed.idle()
    await ports.feeds.drop(lists)
  }
  const building = { ...ports, limits }
  const rate = async (act: (index: number) => Promise<unknown>): Promise<Measured> => ({
    'pages/s': await closedLoop(WIDTH, READERS, act)
  })
  return {
    'cold feed built': async () => {
      await makeCold()
      return { 'ms each': await msEach(readers, reader => buildFeed(building, reader)) }
    },
    'its ids by one plain query': async () => ({
      'ms each': await msEach(readers, reader => pool.query(PLAIN_IDS, [reader]))
    }),
    'cold first page': async () => {
      await makeCold()
      return rate(index => feed.as(ids[index] ?? '').feed({ limit: PAGE }))
    },
    'page by one plain query': () =>
      rate(async index => JSON.stringify((await pool.query(PLAIN_PAGE, [readers[index]])).rows))
  }
}

async function prepare({ parts, quick, say }: BenchContext): Promise<Prepared> {
  const posts = quick ? POSTS / 10 : POSTS
  const services = await startOwn(parts, 'postgres', 'redis')
  const pipeline = await openPipeline(parts, {
    ...{ postgresUrl: services.postgres.url, redisUrl: services.redis.url, limits: { cap: CAP } }
  })
  say(`importing ${posts} posts`)
  const people = await fill(pipeline, posts)
  const pool = new Pool({ connectionString: pipeline.databaseUrl, max: WIDTH })
  parts.defer(() => pool.end())
  for (const statement of PLAIN.split(';')) await pool.query(statement)
  return {
    setting: `${posts.toLocaleString('en-US')} posts of ${AUTHORS} authors over 30 days, ${READERS} readers who follow ${FOLLOWS} each, cap ${CAP}, pages of ${PAGE}, ${WIDTH} pages at once. Cold pages also have the feeds built behind them, four at once.`,
    variants: variantsOf(pipeline, people, pool),
    ratios: [
      {
        name: 'time to build, of the plain query',
        of: ['cold feed built', 'ms each'],
        by: ['its ids by one plain query', 'ms each']
      },
      {
        name: 'cold pages/s, of the plain query',
        of: ['cold first page', 'pages/s'],
        by: ['page by one plain query', 'pages/s']
      }
    ]
  }
}

export const benches: readonly Bench[] = [
  {
    name: 'rebuild',
    about: 'Cold feeds: the time to build one, and first pages of readers whose feeds are cold.',
    prepare
  }
]
