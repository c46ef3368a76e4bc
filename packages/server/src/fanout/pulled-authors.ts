import type { DeliveryStore } from '../ports/store.ts'

/** Those of the authors whose posts are merged by readers and not pushed. */
export async function pulledAuthors(
  store: Pick<DeliveryStore, 'deliveryOf'>,
  authors: readonly number[]
): Promise<Set<number>> {
  if (authors.length === 0) return new Set()
  const states = await store.deliveryOf(authors)
  return new Set(states.filter(({ delivery }) => delivery === 'pull').map(({ author }) => author))
}
