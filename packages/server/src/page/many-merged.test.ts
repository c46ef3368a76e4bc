import assert from 'node:assert/strict'
import test from 'node:test'
import { openWorld, type PageWorld, WORLDS } from '../../../../testkit/page-world.ts'
import { END } from '../domain/post-id.ts'
import type { Store } from '../ports/store.ts'

/** A reader with a warm feed who follows pulled authors, each with posts of their own. */
async function crowd(world: PageWorld, count: number) {
  const names = Array.from({ length: count }, (_, n) => `author${n}`)
  const [reader, ...authors] = (await world.users('reader', ...names)) as [number, ...number[]]
  await world.store.followMany(authors.map(author => ({ reader, author })))
  for (const author of authors) await world.deliverBy(author, 'pull')
  for (const author of [...authors, ...authors, reader]) await world.pastPost(author)
  await world.build(`feed:${reader}`)
  return { reader, authors }
}

/** Counts reads of single authors while it answers pages. */
function countReads(world: PageWorld): { reads: number } {
  const counted = { reads: 0 }
  const read = world.store.idsByAuthor.bind(world.store)
  const counting: Store['idsByAuthor'] = (...args) => {
    counted.reads++
    return read(...args)
  }
  Object.assign(world.store, { idsByAuthor: counting })
  return counted
}

for (const kind of WORLDS) {
  test(`a page of a reader of many cold timelines costs one query and few builds (${kind})`, async t => {
    const world = await openWorld(t, kind, { cap: 50 })
    const { reader } = await crowd(world, 60)
    world.asked.clear()
    const counted = countReads(world)
    const page = await world.pager.home(reader, { below: END, limit: 20 })
    assert.equal(counted.reads, 0)
    assert.equal(page.source, 'store')
    assert.ok(world.asked.size > 0 && world.asked.size <= 4, `${world.asked.size} builds`)
    const oracle = await world.oracle(reader)
    for (const limit of [7, 50]) assert.deepEqual(await world.walk(reader, limit), oracle)
  })

  test(`pages are exact while more and more timelines get warm, and end warm (${kind})`, async t => {
    const world = await openWorld(t, kind, { cap: 150 })
    const { reader, authors } = await crowd(world, 40)
    const oracle = await world.oracle(reader)
    const sources: string[] = []
    for (const author of authors) {
      const { source } = await world.pager.home(reader, { below: END, limit: 20 })
      if (source !== sources.at(-1)) sources.push(source)
      if (author === authors[20]) assert.deepEqual(await world.walk(reader, 9), oracle)
      await world.build(`timeline:${author}`)
    }
    assert.deepEqual(await world.walk(reader, 9), oracle)
    sources.push((await world.pager.home(reader, { below: END, limit: 20 })).source)
    assert.deepEqual(sources, ['store', 'seam', 'warm'])
  })
}
