import { BEGINNING, type PostId } from '../../../domain/post-id.ts'
import type { AuditStore, Standing } from '../../../ports/store.ts'
import type { Context } from './context.ts'
import type { Tables } from './tables.ts'

function standing(tables: Tables, reader: number, author: number, post: PostId): Standing | null {
  const { users, follows, requests, blocks, mutes, cuts, hides, delivery } = tables
  if (!users.has(author)) return null
  const switched = delivery.get(author)
  return {
    follows: follows.has(reader, author),
    requested: requests.has(reader, author),
    blocks: blocks.has(reader, author),
    blocked: blocks.has(author, reader),
    mutes: mutes.has(reader, author),
    cut: cuts.get(reader)?.has(author) ?? false,
    hides: hides.get(reader)?.has(post) ?? false,
    delivery: switched?.delivery ?? 'push',
    pullUntil: switched?.pullUntil ?? BEGINNING
  }
}

/** The feed as a plain filter over all posts: it shares nothing with the reads that pages are made of. */
export function oracle({ tables, clock }: Context): AuditStore {
  const { users, posts, follows, blocks, mutes, hides } = tables
  function shows(reader: number, author: number): boolean {
    if (users.get(author)?.status !== 'active') return false
    if (author === reader) return true
    if (blocks.has(reader, author) || blocks.has(author, reader)) return false
    return follows.has(reader, author) && !mutes.has(reader, author)
  }
  return {
    async sampleReaders(ageMs, limit) {
      const since = clock.now() - ageMs
      return [...users.values()]
        .filter(({ status, lastSeenAt }) => status === 'active' && (lastSeenAt ?? -1) > since)
        .map(({ number }) => ({ number, chance: clock.random() }))
        .sort((a, b) => a.chance - b.chance)
        .slice(0, limit)
        .map(({ number }) => number)
    },
    standing: async (reader, author, post) => standing(tables, reader, author, post),
    oracle: async (reader, below, limit, above = BEGINNING) =>
      [...posts.values()]
        .filter(({ id, deleted }) => !deleted && id < below && id > above)
        .filter(({ author }) => shows(reader, author))
        .filter(({ id }) => !hides.get(reader)?.has(id))
        .map(({ id }) => id)
        .sort((a, b) => (a > b ? -1 : 1))
        .slice(0, limit)
  }
}
