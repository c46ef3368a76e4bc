import type { PostId } from '../../domain/post-id.ts'
import { NEVER_PULLED, PULLED_NOW, type Rules } from '../../domain/rules.ts'
import type { UserStatus } from '../../domain/user.ts'
import type { IdempotencyKey, RelationStore, Written } from '../../ports/store.ts'
import { emit, relationEvent, rulesEvent } from './emit.ts'
import { ended } from './follow.ts'
import { write } from './idempotency.ts'
import { pairLock } from './locks.ts'
import { type Database, type Queries, type Statement, statement } from './pool.ts'
import { mayWrite, mustExist, numbers, texts } from './rows.ts'

const ACTIVE = `exists (select from users where number = $1 and status = 'active')`
const THERE = `exists (select from users where number = $2 and status <> 'gone')`
const STATUSES = `(select status from users where number = $1) as status,
  (select status from users where number = $2) as author_status`

const block = statement(
  'block',
  `with added as (
     insert into blocks (reader, author) select $1, $2 where ${ACTIVE} and ${THERE}
     on conflict do nothing returning reader, author
   ), removed as (
     delete from follows f using added a
     where (f.follower = a.reader and f.followee = a.author)
       or (f.follower = a.author and f.followee = a.reader)
     returning f.follower, f.followee
   ), ${ended('removed')}, events as (
     ${emit(`select ${relationEvent('followee', 'follower')} from removed
       union all select ${rulesEvent('reader')} from added
       union all select ${rulesEvent('author')} from added`)}
   )
   select exists (select from added) as changed, ${STATUSES}`
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
  `with added as (
     insert into mutes (reader, author) select $1, $2 where ${ACTIVE} and ${THERE}
     on conflict do nothing returning reader
   ), events as (${emit(`select ${rulesEvent('reader')} from added`)})
   select exists (select from added) as changed, ${STATUSES}`
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
}

type RuleStore = Pick<RelationStore, 'block' | 'unblock' | 'mute' | 'unmute' | 'rules'>

export function ruleChanges(db: Database): RuleStore {
  function change(
    of: Statement,
    [reader, author]: readonly [number, number],
    key: IdempotencyKey | undefined,
    adds: boolean
  ): Promise<Written<boolean>> {
    const work = async (tx: Queries) => {
      const [row] = await tx.rows<Changed>(of, [reader, author])
      mayWrite(reader, row?.status)
      if (adds) mustExist(author, row?.author_status)
      return row?.changed ?? false
    }
    return write(db, { name: of.name, key, locks: [pairLock(reader, author)] }, work)
  }
  return {
    block: (reader, author, key) => change(block, [reader, author], key, true),
    unblock: (reader, author, key) => change(unblock, [reader, author], key, false),
    mute: (reader, author, key) => change(mute, [reader, author], key, true),
    unmute: (reader, author, key) => change(unmute, [reader, author], key, false),
    rules: async reader => toRules((await db.rows<RulesRow>(rules, [reader]))[0])
  }
}
