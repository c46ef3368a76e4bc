import type { AuditStore } from '../../../ports/store.ts'
import type { Context } from './context.ts'

/** The feed as a plain filter over all posts: it shares nothing with the reads that pages are made of. */
export function oracle({ tables }: Context): AuditStore {
  const { users, posts, follows, blocks, mutes, hides } = tables
  function shows(reader: number, author: number): boolean {
    if (users.get(author)?.status !== 'active') return false
    if (author === reader) return true
    if (blocks.has(reader, author) || blocks.has(author, reader)) return false
    return follows.has(reader, author) && !mutes.has(reader, author)
  }
  return {
    oracle: async (reader, below, limit) =>
      [...posts.values()]
        .filter(({ id, author, deleted }) => !deleted && id < below && shows(reader, author))
        .filter(({ id }) => !hides.get(reader)?.has(id))
        .map(({ id }) => id)
        .sort((a, b) => (a > b ? -1 : 1))
        .slice(0, limit)
  }
}
