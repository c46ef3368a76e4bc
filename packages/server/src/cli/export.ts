import type { Page, PageQuery } from '@fanwise/sdk'
import { allUsers } from './import/spread.ts'
import type { Connection } from './runtime.ts'

/** Users, then follows, then posts, each as one object with its `kind`. Posts keep their id as external id. */
export async function* exportLines(server: Connection): AsyncGenerator<Record<string, unknown>> {
  const ids = await allUsers(server.admin)
  for (const id of ids) {
    const { name, avatar, attributes } = await server.as(id).getUser(id)
    yield { kind: 'user', id, name, avatar, attributes }
  }
  for (const id of ids)
    for await (const { id: followee } of walk(query => server.as(id).following(id, query)))
      yield { kind: 'follow', follower: id, followee }
  for (const id of ids)
    for await (const post of walk(query => server.as(id).userPosts(id, query)))
      yield {
        kind: 'post',
        externalId: post.id,
        author: id,
        content: post.content,
        attrs: post.attrs,
        createdAt: post.createdAt
      }
}

async function* walk<T>(read: (query: PageQuery) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined
  do {
    const page: Page<T> = await read({ limit: 100, ...(cursor !== undefined && { cursor }) })
    yield* page.items
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}
