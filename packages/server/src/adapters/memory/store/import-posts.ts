import type { ImportedPost } from '../../../domain/post.ts'
import { checkCreatedAt } from '../../../domain/post-time.ts'
import type { ImportResult, PostStore } from '../../../ports/store.ts'
import { type Context, mayWrite } from './context.ts'
import { insertPost } from './insert-post.ts'
import { externalKey } from './tables.ts'
import type { Transaction } from './transactions.ts'

function nameOf({ author, externalId }: ImportedPost): string | undefined {
  return externalId === null ? undefined : externalKey(author, externalId)
}

function importAll(
  context: Context,
  tx: Transaction,
  posts: readonly ImportedPost[]
): ImportResult[] {
  const { tables, ids } = context
  const made = new Map<string, ImportResult>()
  return posts.map(post => {
    const name = nameOf(post)
    const earlier = name && (tables.externalIds.get(name) ?? made.get(name)?.id)
    if (earlier !== undefined && earlier !== '') return { id: earlier, created: false }
    const { author, createdAt } = post
    const id =
      createdAt === null ? ids.drawNow(author, tx.now) : ids.drawFrom(author, Math.floor(createdAt))
    insertPost(context, tx, post, id)
    const result = { id, created: true }
    if (name === undefined) return result
    made.set(name, result)
    tx.change(() => tables.externalIds.set(name, id))
    return result
  })
}

export function importPosts(context: Context): Pick<PostStore, 'importPosts'> {
  return {
    importPosts: async (posts, key) => {
      const locks = posts.map(nameOf).filter(name => name !== undefined)
      const { value } = await context.transactions.write(
        key,
        locks.map(name => `external ${name}`),
        tx => {
          for (const post of posts) {
            mayWrite(context.tables, post.author)
            if (post.createdAt !== null) checkCreatedAt(post.createdAt, tx.now)
            if (post.createdAt === null) context.ids.checkClock(post.author, tx.now)
          }
          return importAll(context, tx, posts)
        }
      )
      return value
    }
  }
}
