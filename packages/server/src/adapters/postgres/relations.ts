import type { Cut, Member, MemberList, RelationStore } from '../../ports/store.ts'
import { emit, rulesEvent } from './emit.ts'
import { type Database, type Statement, statement } from './pool.ts'
import { bound, numbers } from './rows.ts'

const follows = statement(
  'follows',
  `select f.follower is not null as there
   from unnest($1::bigint[], $2::bigint[]) with ordinality w (reader, author, place)
   left join follows f on f.follower = w.reader and f.followee = w.author
   order by w.place`
)

/** Users who are suspended or gone stand in no list. */
function members(list: MemberList, table: string, owner: string, member: string): Statement {
  return statement(
    `members_${list}`,
    `select l.${member} as member, l.seq from ${table} l
     join users u on u.number = l.${member} and u.status = 'active'
     where l.${owner} = $1 and l.seq < $2 order by l.seq desc limit $3`
  )
}

const lists: Record<MemberList, Statement> = {
  followers: members('followers', 'followers', 'followee', 'follower'),
  following: members('following', 'follows', 'follower', 'followee'),
  blocks: members('blocks', 'blocks', 'reader', 'author'),
  mutes: members('mutes', 'mutes', 'reader', 'author'),
  requests: members('requests', 'follow_requests', 'followee', 'follower'),
  requested: members('requested', 'follow_requests', 'follower', 'followee')
}

const slice = statement(
  'follower_slice',
  `select string_agg(follower::text, ',' order by follower) as list from (
     select follower from followers where followee = $1 and follower > $2
     order by follower limit $3) f`
)

const stamp = statement(
  'cuts_stamp',
  `update cuts c set seen_at = now() from unnest($1::bigint[], $2::bigint[]) w (reader, author)
   where c.reader = w.reader and c.author = w.author and c.seen_at is null`
)

const ripe = statement(
  'cuts_ripe',
  `select reader, author, version from cuts
   where seen_at <= now() - $1::bigint * interval '1 millisecond' order by seen_at limit $2`
)

const remove = statement(
  'cut_remove',
  `with removed as (
     delete from cuts where reader = $1 and author = $2 and version = $3 returning reader
   ), events as (${emit(`select ${rulesEvent('reader')} from removed`)})
   select reader from removed`
)

const FIRST = '9999999999999999999'

type Relations = Pick<
  RelationStore,
  'follows' | 'members' | 'followerSlice' | 'stampCuts' | 'ripeCuts' | 'removeCut'
>

export function relations(db: Database): Relations {
  return {
    async follows(pairs) {
      const values = [pairs.map(pair => pair.reader), pairs.map(pair => pair.author)]
      return (await db.rows<{ there: boolean }>(follows, values)).map(row => row.there)
    },

    async members(list, owner, before, limit) {
      const values = [owner, bound(before ?? FIRST), limit]
      const rows = await db.rows<{ member: string; seq: string }>(lists[list], values)
      return rows.map((row): Member => ({ user: Number(row.member), position: row.seq }))
    },

    async followerSlice(author, after, limit) {
      const [row] = await db.rows<{ list: string | null }>(slice, [author, after, limit])
      return numbers(row?.list ?? null)
    },

    async stampCuts(pairs) {
      await db.rows(stamp, [pairs.map(pair => pair.reader), pairs.map(pair => pair.author)])
    },

    async ripeCuts(ageMs, limit) {
      const rows = await db.rows<{ reader: string; author: string; version: string }>(ripe, [
        Math.ceil(ageMs),
        limit
      ])
      return rows.map(
        (row): Cut => ({
          reader: Number(row.reader),
          author: Number(row.author),
          version: row.version
        })
      )
    },

    async removeCut({ reader, author, version }) {
      const removed = await db.rows(remove, [reader, author, version])
      if (removed.length > 0) db.wake()
      return removed.length > 0
    }
  }
}
