import type { PostId } from '../../../domain/post-id.ts'
import type {
  LedgerRow,
  LedgerStore,
  PostEvent,
  Progress,
  ReaderRow,
  RelationEvent
} from '../../../ports/ledger.ts'
import type { Context } from './context.ts'
import type { OutboxRow, Tables } from './tables.ts'

const ROWS_MAX = 20

/** Newest first; of one ms the one that was appended last. */
function rowsOf({ ledger }: Tables, post: PostId): LedgerRow[] {
  return ledger
    .filter(row => row.post === post)
    .reverse()
    .sort((a, b) => b.at - a.at)
}

function toReaderRow({ first: _, last: __, ...row }: LedgerRow, reader: number): ReaderRow {
  return { ...row, took: row.took.includes(reader) }
}

/** Of rows newest first: the latest of each slice; slices beyond the last one are of a former try. */
function latestOf(rows: readonly LedgerRow[]): LedgerRow[] {
  const bySlice = Map.groupBy(rows, ({ slice }) => slice)
  const latest = [...bySlice.values()].flatMap(([row]) => row ?? [])
  const slices = rows.find(row => row.slices !== null)?.slices ?? Number.POSITIVE_INFINITY
  return latest.filter(({ slice }) => slice <= slices)
}

function progressOf(rows: readonly LedgerRow[]): Progress | null {
  const latest = latestOf(rows)
  const newest = latest.toSorted((a, b) => b.at - a.at || b.slice - a.slice)[0]
  if (newest === undefined) return null
  const sum = (of: 'pushed' | 'cold' | 'late' | 'failed') =>
    latest.reduce((total, row) => total + row[of], 0)
  const { event, lane, partition, offset, delivery, work } = newest
  return {
    ...{ event, lane, partition, offset, delivery, work },
    slicesDone: latest.filter(row => row.work === 'pushed' && row.slice > 0).length,
    slices: latest.find(row => row.slices !== null)?.slices ?? null,
    ...{ pushed: sum('pushed'), cold: sum('cold'), late: sum('late'), failed: sum('failed') },
    startedAt: Math.min(...latest.map(({ at }) => at)),
    latestAt: newest.at
  }
}

function tellsOf(row: OutboxRow, post: PostId): boolean {
  return row.event.type === 'post' && row.event.post === post
}

function eventOf({ outbox, published, dead }: Tables, post: PostId): PostEvent | null {
  const find = <R extends OutboxRow>(rows: ReadonlyMap<number, R>) =>
    [...rows.values()].findLast(row => tellsOf(row, post))
  const waiting = find(outbox)
  const gone = find(dead)
  const done = find(published)
  const row = waiting ?? gone ?? done
  if (row === undefined) return null
  const givenUp = row === gone && gone ? { at: gone.diedAt, reason: gone.reason } : null
  const publishedAt = row === done && done ? done.at : null
  return { id: String(row.seq), lane: row.lane, publishedAt, givenUp }
}

const YOUNG_MS = 600_000

function relationEventOf(
  { tables: { outbox, published }, clock }: Context,
  reader: number,
  author: number
): RelationEvent {
  const isOfPair = ({ event }: OutboxRow) =>
    event.type === 'relation' && event.reader === reader && event.author === author
  if ([...outbox.values()].some(isOfPair)) return 'waiting'
  const since = clock.now() - YOUNG_MS
  return [...published.values()].some(row => row.at > since && isOfPair(row)) ? 'published' : null
}

export function ledger(context: Context): LedgerStore {
  const { tables } = context
  return {
    async record(rows) {
      tables.ledger.push(...rows)
    },
    ledgerOf: async (post, reader) =>
      rowsOf(tables, post)
        .filter(({ slice, first, last }) => slice === 0 || (first <= reader && reader <= last))
        .slice(0, ROWS_MAX)
        .map(row => toReaderRow(row, reader)),
    progressOf: async post => progressOf(rowsOf(tables, post)),
    eventOf: async post => eventOf(tables, post),
    relationEventOf: async (reader, author) => relationEventOf(context, reader, author)
  }
}
