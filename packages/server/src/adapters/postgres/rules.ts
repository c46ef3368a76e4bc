import { Problem } from '../../domain/errors.ts'
import type { PostId } from '../../domain/post-id.ts'
import { NEVER_PULLED, PULLED_NOW, type Rules } from '../../domain/rules.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { IdempotencyKey, RelationStore, Written } from '../../ports/store.ts'
import { emit, relationEvent, rulesEvent } from './emit.ts'
import { ended } from './follow.ts'
import { write } from './idempotency.ts'
import { pairLock, readerLock } from './locks.ts'
import { type Database, type Queries, type Statement, statement } from './pool.ts'
import { mayWrite, mustExist, numbers, texts } from './rows.ts'

const ACTIVE = `exists (select from users where number = $1 and status = 'active')`
const STATUSES = `(select status from users where number = $1) as status,
  (select status from users where number = $2) as author_status`

/** $3 is the number of rows of the table that a reader may have. */
function add(table: 'blocks' | 'mutes'): string {
  return `facts as (
     select ${STATUSES}, exists (select from ${table} where reader = $1 and author = $2) as already,
       (select count(*) from (select from ${table} where reader = $1 limit $3) t) >= $3 as at_limit
   ), added as (
     insert into ${table} (reader, author) select $1, $2 from facts
     where status = 'active' and author_status <> 'gone' and not already and not at_limit
     returning reader, author
   )`
}

const ADDED = 'select facts.*, exists (select from added) as changed from facts'

const block = statement(
  'block',
  `with ${add('blocks')}, removed as (
     delete from follows f using added a
     where (f.follower = a.reader and f.followee = a.author)
       or (f.follower = a.author and f.followee = a.reader)
     returning f.follower, f.followee
   ), withdrawn as (
     delete from follow_requests q using added a
     where (q.follower = a.reader and q.followee = a.author)
       or (q.follower = a.author and q.followee = a.reader)
   ), ${ended('removed')}, events as (
     ${emit(`select ${relationEvent('followee', 'follower')} from removed
       union all select ${rulesEvent('reader')} from added
       union all select ${rulesEvent('author')} from added`)}
   )
   ${ADDED}`
)

const unblock = statement(
  'unblock',
  `with removed as (
     delete from blocks where reader = $1 and author = $2 and ${ACTIVE} returning reader, author
   ), events as (
     ${emit(`select ${rulesEvent('reader')} from removed
       union all select ${rulesEvent('author')} from removed`)}
   )
   select exists (select from removed) as changed, ${STATUSES}`
)

const mute = statement(
  'mute',
  `with ${add('mutes')}, events as (${emit(`select ${rulesEvent('reader')} from added`)})
   ${ADDED}`
)

const unmute = statement(
  'unmute',
  `with removed as (
     delete from mutes where reader = $1 and author = $2 and ${ACTIVE} returning reader
   ), events as (${emit(`select ${rulesEvent('reader')} from removed`)})
   select exists (select from removed) as changed, ${STATUSES}`
)

/** Blocks of both directions; followees that are pulled, or were until some id. Lists as text: they may be long. */
const rules = statement(
  'rules',
  `select
     (select string_agg(other::text, ',') from (
       select author as other from blocks where reader = $1
       union select reader from blocks where author = $1) b) as blocks,
     (select string_agg(author::text, ',') from mutes where reader = $1) as mutes,
     (select string_agg(author::text, ',') from cuts where reader = $1) as cuts,
     (select string_agg(post::text, ',') from hides where reader = $1) as hides,
     (select string_agg(u.number || ':' ||
         case when u.delivery = 'push' then u.pull_until::text else '${PULLED_NOW}' end, ',')
       from follows f join users u on u.number = f.followee
       where f.follower = $1 and (u.delivery <> 'push' or u.pull_until > ${NEVER_PULLED})) as pulled`
)

interface RulesRow {
  readonly blocks: string | null
  readonly mutes: string | null
  readonly cuts: string | null
  readonly hides: string | null
  readonly pulled: string | null
}

function toRules(row: RulesRow | undefined): Rules {
  const pulled = texts(row?.pulled ?? null).map((pair): [number, PostId] => {
    const [author = '', until = ''] = pair.split(':')
    return [Number(author), until]
  })
  return {
    blocks: new Set(numbers(row?.blocks ?? null)),
    mutes: new Set(numbers(row?.mutes ?? null)),
    cuts: new Set(numbers(row?.cuts ?? null)),
    hides: new Set(texts(row?.hides ?? null)),
    pulled: new Map(pulled)
  }
}

interface Changed {
  readonly changed: boolean
  readonly status: UserStatus | null
  readonly author_status: UserStatus | null
  readonly already?: boolean
  readonly at_limit?: boolean
}

/** @throws Problem rules_limit unless what is asked for was there before */
export function withinLimit(
  row: Pick<Changed, 'already' | 'at_limit'> | undefined,
  what: string,
  max: number
): void {
  if (!row?.at_limit || row.already) return
  throw new Problem('rules_limit', `The user has ${max} ${what}, the most allowed.`, { max })
}

type RuleStore = Pick<RelationStore, 'block' | 'unblock' | 'mute' | 'unmute' | 'rules'>

export function ruleChanges(db: Database, rulesMax: number): RuleStore {
  type Change = (reader: number, author: number, key?: IdempotencyKey) => Promise<Written<boolean>>
  function adding(of: Statement, what: string): Change {
    return (reader, author, key) => {
      const work = async (tx: Queries) => {
        const [row] = await tx.rows<Changed>(of, [reader, author, rulesMax])
        mayWrite(reader, row?.status)
        mustExist(author, row?.author_status)
        withinLimit(row, what, rulesMax)
        return row?.changed ?? false
      }
      const locks = [readerLock(reader), pairLock(reader, author)]
      return write(db, { name: of.name, key, locks }, work)
    }
  }
  function removing(of: Statement): Change {
    return (reader, author, key) => {
      const work = async (tx: Queries) => {
        const [row] = await tx.rows<Changed>(of, [reader, author])
        mayWrite(reader, row?.status)
        return row?.changed ?? false
      }
      return write(db, { name: of.name, key, locks: [pairLock(reader, author)] }, work)
    }
  }
  return {
    block: adding(block, 'blocks'),
    unblock: removing(unblock),
    mute: adding(mute, 'mutes'),
    unmute: removing(unmute),
    rules: async reader => toRules((await db.rows<RulesRow>(rules, [reader]))[0])
  }
}
