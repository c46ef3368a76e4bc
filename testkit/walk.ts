import type { Page, PageQuery, Post, PostId } from '@fanwise/sdk'

const PAGES_MAX = 10_000

/** All ids of a list, page by page, until its end. Throws on a repeat, a wrong order, or too many pages. */
export async function walk(
  read: (query: PageQuery) => Promise<Page<Post>>,
  limit: number,
  between?: (page: number) => Promise<void>
): Promise<PostId[]> {
  const ids: PostId[] = []
  let cursor: string | undefined
  for (let pages = 1; pages <= PAGES_MAX; pages++) {
    const page: Page<Post> = await read({ limit, ...(cursor !== undefined && { cursor }) })
    for (const { id } of page.items) {
      const last = ids.at(-1)
      if (last !== undefined && id >= last) throw new Error(`${id} comes after ${last}`)
      ids.push(id)
    }
    if (page.nextCursor === null) return ids
    cursor = page.nextCursor
    await between?.(pages)
  }
  throw new Error(`the walk does not end within ${PAGES_MAX} pages`)
}
