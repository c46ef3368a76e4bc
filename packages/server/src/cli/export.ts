import type { Page, PageQuery, Post, Profile, UserId } from '@fanwise/sdk'
import { allUsers } from './import/spread.ts'
import type { Connection } from './runtime.ts'

/**
 * Users, then follows, then posts, each as one object with its `kind`. Posts keep their id as external id. Users who
 * are suspended are left out: nothing of theirs is shown on any path. So are requests to follow: an import has none.
 */
export async function* exportLines(server: Connection): AsyncGenerator<Record<string, unknown>> {
  const ids: UserId[] = []
  for (const id of await allUsers(server.admin)) {
    const user = await shownUser(server, id)
    if (user === undefined) continue
    ids.push(id)
    const { name, avatar, attributes, visibility } = user
    yield { kind: 'user', id, name, avatar, attributes, visibility }
  }
  for (const id of ids)
    for await (const { id: followee } of walk(query => server.as(id).following(id, query)))
      yield { kind: 'follow', follower: id, followee }
  for (const id of ids)
    for await (const post of walk(query => server.as(id).userPosts(id, query)))
      yield toLine(id, post)
}

async function shownUser(server: Connection, id: UserId): Promise<Profile | undefined> {
  try {
    return await server.as(id).getUser(id)
  } catch (error) {
    if ((error as { code?: unknown }).code === 'user_not_found') return undefined
    throw error
  }
}

function toLine(author: UserId, { id, content, attrs, createdAt }: Post): Record<string, unknown> {
  return { kind: 'post', externalId: id, author, content, attrs, createdAt }
}

async function* walk<T>(read: (query: PageQuery) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined
  do {
    const page: Page<T> = await read({ limit: 100, ...(cursor !== undefined && { cursor }) })
    yield* page.items
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}
