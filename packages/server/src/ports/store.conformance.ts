import { deadConformance } from './store-dead.conformance.ts'
import { deliveryConformance } from './store-delivery.conformance.ts'
import type { MakeStore, StoreHooks } from './store-fixtures.conformance.ts'
import { homeConformance } from './store-home.conformance.ts'
import { importConformance } from './store-import.conformance.ts'
import { keysConformance } from './store-keys.conformance.ts'
import { ledgerConformance } from './store-ledger.conformance.ts'
import { likesConformance } from './store-likes.conformance.ts'
import { outboxConformance, upkeepConformance } from './store-outbox.conformance.ts'
import { postsConformance } from './store-posts.conformance.ts'
import { recountConformance } from './store-recount.conformance.ts'
import { relationsConformance } from './store-relations.conformance.ts'
import { requestRaces } from './store-request-races.conformance.ts'
import { requestsConformance } from './store-requests.conformance.ts'
import { usersConformance } from './store-users.conformance.ts'

/** What every Store does. `make` opens an empty one; a test closes it before it ends. */
export function storeConformance(name: string, make: MakeStore, hooks: StoreHooks = {}): void {
  usersConformance(name, make)
  postsConformance(name, make, hooks)
  importConformance(name, make)
  homeConformance(name, make)
  relationsConformance(name, make)
  requestsConformance(name, make)
  requestRaces(name, make)
  likesConformance(name, make)
  recountConformance(name, make)
  deliveryConformance(name, make)
  outboxConformance(name, make)
  deadConformance(name, make)
  upkeepConformance(name, make)
  ledgerConformance(name, make)
  keysConformance(name, make)
}
