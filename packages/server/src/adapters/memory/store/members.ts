import type { Member, MemberList, RelationStore } from '../../../ports/store.ts'
import { type Context, isActive } from './context.ts'
import type { Tables } from './tables.ts'

const lists: Record<MemberList, (tables: Tables, owner: number) => ReadonlyMap<number, number>> = {
  followers: ({ follows }, owner) => follows.to(owner),
  following: ({ follows }, owner) => follows.from(owner),
  blocks: ({ blocks }, owner) => blocks.from(owner),
  mutes: ({ mutes }, owner) => mutes.from(owner),
  requests: ({ requests }, owner) => requests.to(owner),
  requested: ({ requests }, owner) => requests.from(owner)
}

/** Lists of users, newest first. Who is suspended or gone stands in none. */
export function members({ tables }: Context): Pick<RelationStore, 'members'> {
  return {
    async members(list, owner, before, limit) {
      const edges = [...lists[list](tables, owner)]
      return edges
        .filter(
          ([user, seq]) => isActive(tables, user) && (before === null || seq < Number(before))
        )
        .sort(([, a], [, b]) => b - a)
        .slice(0, limit)
        .map(([user, seq]): Member => ({ user, position: String(seq) }))
    }
  }
}
