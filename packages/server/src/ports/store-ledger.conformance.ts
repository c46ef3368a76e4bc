import assert from 'node:assert/strict'
import test from 'node:test'
import { laneOfAuthor } from '../domain/post-id.ts'
import type { LedgerRow } from './ledger.ts'
import type { Store } from './store.ts'
import {
  drain,
  importIds,
  type MakeStore,
  made,
  people,
  publish
} from './store-fixtures.conformance.ts'

const AT = Date.now()

function row(post: string, given: Partial<LedgerRow>): LedgerRow {
  return {
    ...{ post, event: '7', lane: 3, partition: null, offset: null, worker: 'host:1', at: AT },
    ...{ delivery: 'push', work: 'pushed', slice: 1, slices: null, first: 0, last: 0 },
    ...{ pushed: 0, cold: 0, late: 0, failed: 0, took: [] },
    ...given
  }
}

async function aPost(store: Store) {
  const [ann] = await people(store, 'ann')
  return { ann, post: await publish(store, ann) }
}

export function ledgerConformance(name: string, make: MakeStore): void {
  test(`${name}: the ledger tells of a reader's slice and of what is about everybody`, async t => {
    await using store = await make(t)
    const { ann, post } = await aPost(store)
    const slice = { first: 10, last: 2 ** 40, pushed: 2, cold: 1, took: [10, 2 ** 40] }
    await store.record([
      row(post, { ...slice, slice: 2, slices: 2, partition: 4, offset: '99', at: AT + 5, late: 1 }),
      row(post, { ...slice, first: 1, last: 9, took: [] }),
      row(await publish(store, ann), slice)
    ])
    const [found, ...others] = await store.ledgerOf(post, 10)
    assert.deepEqual(others, [])
    assert.deepEqual(found, {
      ...{ post, event: '7', lane: 3, partition: 4, offset: '99', worker: 'host:1', at: AT + 5 },
      ...{ delivery: 'push', work: 'pushed', slice: 2, slices: 2 },
      ...{ pushed: 2, cold: 1, late: 1, failed: 0, took: true }
    })
    assert.deepEqual(
      (await store.ledgerOf(post, 11)).map(({ took }) => took),
      [false]
    )
    assert.equal((await store.ledgerOf(post, 2 ** 40))[0]?.took, true)
    assert.deepEqual(await store.ledgerOf(post, 2 ** 40 + 1), [])
    await store.record([row(post, { slice: 0, work: 'pulled', delivery: 'pull', at: AT + 9 })])
    const [pulled, sliced] = await store.ledgerOf(post, 10)
    assert.deepEqual([pulled?.work, pulled?.delivery, sliced?.slice], ['pulled', 'pull', 2])
    await store.record([])
  })

  test(`${name}: progress counts the latest row of each slice`, async t => {
    await using store = await make(t)
    const { post } = await aPost(store)
    assert.equal(await store.progressOf(post), null)
    await store.record([
      row(post, { slice: 1, pushed: 5, cold: 1, late: 2 }),
      row(post, { slice: 2, work: 'failed', failed: 6, at: AT + 1 }),
      row(post, { slice: 3, pushed: 9, at: AT + 1 })
    ])
    const begun = await store.progressOf(post)
    assert.deepEqual(begun, {
      ...{ event: '7', lane: 3, partition: null, offset: null },
      ...{ delivery: 'push', work: 'pushed', slicesDone: 2, slices: null },
      ...{ pushed: 14, cold: 1, late: 2, failed: 6, startedAt: AT, latestAt: AT + 1 }
    })
    await store.record([
      row(post, { slice: 1, pushed: 6, at: AT + 2 }),
      row(post, {
        slice: 2,
        slices: 2,
        pushed: 4,
        failed: 1,
        delivery: 'both',
        at: AT + 3,
        partition: 2,
        offset: '5'
      })
    ])
    assert.deepEqual(await store.progressOf(post), {
      ...{ event: '7', lane: 3, partition: 2, offset: '5' },
      ...{ delivery: 'both', work: 'pushed', slicesDone: 2, slices: 2 },
      ...{ pushed: 10, cold: 0, late: 0, failed: 1, startedAt: AT + 2, latestAt: AT + 3 }
    })
  })

  test(`${name}: the event of a post is found, waiting, published or given up`, async t => {
    await using store = await make(t)
    const { ann, post } = await aPost(store)
    const [old = ''] = await importIds(store, [made(ann, 1_600_000_000_000)])
    const waiting = await store.eventOf(post, ann)
    assert.deepEqual([waiting?.lane, waiting?.publishedAt], [laneOfAuthor(ann), null])
    assert.equal((await store.eventOf(old, ann))?.publishedAt, null)
    await using lanes = await store.openLanes()
    await lanes.claim()
    const logged = await lanes.unpublished([laneOfAuthor(ann)], 10)
    const idOf = (wanted: string) =>
      logged.find(({ event }) => 'post' in event && event.post === wanted)?.id ?? ''
    assert.equal(waiting?.id, idOf(post))
    await drain(lanes)
    const published = await store.eventOf(post, ann)
    assert.ok(Math.abs((published?.publishedAt ?? 0) - Number(BigInt(post) >> 21n)) < 60_000)
    assert.equal((await store.eventOf(old, ann, idOf(old)))?.id, idOf(old))
    await store.bury(
      { id: idOf(old), lane: laneOfAuthor(ann), event: { type: 'user', author: 1 } },
      'poison'
    )
    assert.equal((await store.eventOf(old, ann))?.givenUp?.reason, 'poison')
    assert.equal(await store.eventOf('1', ann), null)
  })

  test(`${name}: an event of a pair is found while it waits, and for a while after`, async t => {
    await using store = await make(t)
    const [ann, bob] = await people(store, 'ann', 'bob')
    const [cid] = await people(store, 'cid')
    assert.equal(await store.relationEventOf(bob, ann), null)
    await store.follow(bob, ann)
    assert.equal(await store.relationEventOf(bob, ann), 'waiting')
    assert.equal(await store.relationEventOf(cid, ann), null)
    assert.equal(await store.relationEventOf(ann, bob), null)
    await using lanes = await store.openLanes()
    await lanes.claim()
    await drain(lanes)
    assert.equal(await store.relationEventOf(bob, ann), 'published')
    assert.equal(await store.relationEventOf(cid, ann), null)
  })

  test(`${name}: how a reader stands to an author and a post`, async t => {
    await using store = await make(t)
    const { ann, post } = await aPost(store)
    const [bob] = await people(store, 'bob')
    const stands = async () => {
      const { delivery, pullUntil, ...rest } = (await store.standing(bob, ann, post))!
      assert.deepEqual([delivery, pullUntil], ['push', '0'])
      return Object.entries(rest).flatMap(([fact, holds]) => (holds ? [fact] : []))
    }
    assert.deepEqual(await stands(), [])
    await store.putUser('ann', { visibility: 'private' })
    await store.follow(bob, ann)
    assert.deepEqual(await stands(), ['requested'])
    await store.acceptRequest(ann, bob)
    await store.mute(bob, ann)
    await store.hide(bob, post)
    assert.deepEqual(await stands(), ['follows', 'mutes', 'hides'])
    await store.block(bob, ann)
    assert.deepEqual(await stands(), ['blocks', 'mutes', 'cut', 'hides'])
    await store.unblock(bob, ann)
    await store.block(ann, bob)
    assert.deepEqual((await stands()).includes('blocked'), true)
    const [state] = await store.deliveryOf([ann])
    await store.switchDelivery(state!, 'both')
    assert.equal((await store.standing(bob, ann, post))?.delivery, 'both')
    assert.equal(await store.standing(bob, 999_999, post), null)
  })
}
