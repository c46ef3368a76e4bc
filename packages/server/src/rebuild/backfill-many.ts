import type { Limits } from '../domain/limits.ts'
import { createGate } from '../lib/gate.ts'
import type { Relation } from '../ports/store.ts'
import { type BackfillContext, backfillPushed } from './backfill.ts'

export interface BackfillManyContext extends BackfillContext {
  readonly limits: Pick<Limits, 'cap' | 'backfillAuthors'>
}

const WIDTH = 8

/**
 * `backfill` for many follows, after their commit. Readers who follow more than `backfillAuthors` of them at once have
 * their feeds dropped instead. Rejects when a dependency fails; repeating it is safe.
 */
export async function backfillMany(
  context: BackfillManyContext,
  follows: readonly Relation[]
): Promise<void> {
  const { store, feeds, limits } = context
  const authors = [...new Set(follows.map(({ author }) => author))]
  if (authors.length === 0) return
  const states = await store.deliveryOf(authors)
  const pulled = new Set(states.filter(s => s.delivery === 'pull').map(s => s.author))
  const pushed = follows.filter(({ author }) => !pulled.has(author))
  const readers = [...Map.groupBy(pushed, ({ reader }) => reader)]
  const many = readers.filter(([, of]) => of.length > limits.backfillAuthors)
  const few = readers.filter(([, of]) => of.length <= limits.backfillAuthors)
  if (many.length > 0) await feeds.drop(many.map(([reader]) => `feed:${reader}` as const))
  const { run } = createGate({ concurrency: WIDTH })
  await Promise.all(
    few.map(([reader, of]) =>
      run(() =>
        backfillPushed(
          context,
          reader,
          of.map(({ author }) => author)
        )
      )
    )
  )
}
