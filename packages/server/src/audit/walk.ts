import type { PageSources } from '@fanwise/sdk'
import { BEGINNING, END, type PostId } from '../domain/post-id.ts'

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
  /** The last id looked at; BEGINNING at the true end. */
  readonly end: PostId
}

/** Items per page: of the first page, of pages as long as the warm feed takes part, and of those from the Store. */
export interface PageSizes {
  readonly first: number
  readonly warm: number
  readonly store: number
}

export interface WalkOptions {
  readonly source: 'any' | 'store'
  /** Whether the walk may end after these pages; by default it goes on to the true end. */
  readonly isEnough?: (pages: PageSources) => boolean
}

/** Follows a reader's cursor. */
export async function walkHome(
  pages: Pages,
  reader: number,
  sizes: PageSizes,
  { source, isEnough = () => false }: WalkOptions
): Promise<Walked> {
  const ids: PostId[] = []
  const counts = { warm: 0, store: 0, seam: 0 }
  let below = END
  let limit = sizes.first
  for (;;) {
    const page = await pages.home(reader, { below, limit, source })
    ids.push(...page.ids)
    counts[page.source]++
    if (page.next === null) return { ids, pages: counts, stuck: [], end: BEGINNING }
    if (page.next >= below) return { ids, pages: counts, stuck: [page.next], end: page.next }
    if (isEnough(counts)) return { ids, pages: counts, stuck: [], end: page.next }
    below = page.next
    limit = page.source === 'store' ? sizes.store : sizes.warm
  }
}
