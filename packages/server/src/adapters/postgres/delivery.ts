import type { Delivery } from '../../domain/user.ts'
import type { DeliveryState, DeliveryStore } from '../../ports/store.ts'
import { type Database, statement } from './pool.ts'
import { bound } from './rows.ts'

const COLUMNS = 'number, delivery, delivery_version'

const deliveryOf = statement(
  'delivery_of',
  `select ${COLUMNS} from users where number = any($1::bigint[])`
)

const crossings = statement(
  'delivery_crossings',
  `(select ${COLUMNS} from users where delivery = 'push' and followers_count >= $1
     order by followers_count desc limit $3)
   union all
   (select ${COLUMNS} from users where delivery = 'both' and followers_count < $2 limit $3)
   union all
   (select ${COLUMNS} from users where delivery = 'pull' and followers_count < $2 limit $3)
   limit $3`
)

const inBoth = statement(
  'delivery_in_both',
  `select ${COLUMNS} from users where delivery = 'both' order by number limit $1`
)

const switchDelivery = statement(
  'delivery_switch',
  `update users set delivery = $4, delivery_version = delivery_version + 1,
     pull_until = case when $4 = 'push' then greatest(pull_until, $5::bigint) else pull_until end
   where number = $1 and delivery = $2 and delivery_version = $3 returning number`
)

interface Row {
  readonly number: string
  readonly delivery: Delivery
  readonly delivery_version: number
}

function toState(row: Row): DeliveryState {
  return {
    author: Number(row.number),
    delivery: row.delivery,
    version: row.delivery_version
  }
}

export function delivery(db: Database): DeliveryStore {
  return {
    deliveryOf: async authors => (await db.rows<Row>(deliveryOf, [authors])).map(toState),

    async deliveryCrossings(threshold, lower, limit) {
      return (await db.rows<Row>(crossings, [threshold, lower, limit])).map(toState)
    },

    inBoth: async limit => (await db.rows<Row>(inBoth, [limit])).map(toState),

    async switchDelivery(from, to, until = '0') {
      const values = [from.author, from.delivery, from.version, to, bound(until)]
      return (await db.rows(switchDelivery, values)).length > 0
    }
  }
}
