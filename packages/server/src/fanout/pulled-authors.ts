import type { Delivery } from '../domain/user.ts'
import type { DeliveryStore } from '../ports/store.ts'

/** How the posts of each author reach feeds; nobody who does not exist. */
export async function deliveriesOf(
  store: Pick<DeliveryStore, 'deliveryOf'>,
  authors: readonly number[]
): Promise<Map<number, Delivery>> {
  if (authors.length === 0) return new Map()
  const states = await store.deliveryOf(authors)
  return new Map(states.map(({ author, delivery }) => [author, delivery]))
}

/** Those of the authors whose posts are merged by readers and not pushed. */
export async function pulledAuthors(
  store: Pick<DeliveryStore, 'deliveryOf'>,
  authors: readonly number[]
): Promise<Set<number>> {
  return pulledOf(await deliveriesOf(store, authors))
}

export function pulledOf(deliveries: ReadonlyMap<number, Delivery>): Set<number> {
  return new Set(
    [...deliveries].flatMap(([author, delivery]) => (delivery === 'pull' ? author : []))
  )
}
