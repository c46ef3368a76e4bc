import type { PageSources } from '@fanwise/sdk'
import { END, type PostId } from '../domain/post-id.ts'

/** What verify needs of a pager. */
export interface Pages {
  home(
    reader: number,
    query: { readonly below: PostId; readonly limit: number; readonly source?: 'any' | 'store' }
  ): Promise<{
    readonly ids: readonly PostId[]
    readonly next: PostId | null
    readonly source: keyof PageSources
  }>
}

export interface Walked {
  readonly ids: readonly PostId[]
  readonly pages: PageSources
  /** Cursors that did not get on: the walk ended there. */
  readonly stuck: readonly PostId[]
}

/** Items per page: of the first page, of pages as long as the warm feed takes part, and of those from the Store. */
export interface PageSizes {
  readonly first: number
  readonly warm: number
  readonly store: number
}

/** Follows a reader's cursor to its end. */
export async function walkHome(
  pages: Pages,
  reader: number,
  sizes: PageSizes,
  source: 'any' | 'store'
): Promise<Walked> {
  const ids: PostId[] = []
  const counts = { warm: 0, store: 0, seam: 0 }
  let below = END
  let limit = sizes.first
  for (;;) {
    const page = await pages.home(reader, { below, limit, source })
    ids.push(...page.ids)
    counts[page.source]++
    if (page.next === null) return { ids, pages: counts, stuck: [] }
    if (page.next >= below) return { ids, pages: counts, stuck: [page.next] }
    below = page.next
    limit = page.source === 'store' ? sizes.store : sizes.warm
  }
}
