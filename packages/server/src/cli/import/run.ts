import type { AdminApi, Batch, BatchLike, BatchPost, ProfileChange, UserId } from '@fanwise/sdk'
import type { ImportRecord, Parsed, Rejection } from './record.ts'

export interface ImportReport {
  readonly records: number
  readonly created: {
    readonly users: number
    readonly follows: number
    readonly posts: number
    readonly likes: number
  }
  readonly rejected: number
  /** The first few lines that were not imported, and why. */
  readonly rejections: readonly { readonly line: number; readonly reason: string }[]
}

const BATCH = 1000
const SHOWN = 10

/** Sends records in batches, in their order. Records that are there already change nothing. */
export async function runImport(
  admin: AdminApi,
  records: AsyncIterable<Parsed>,
  onProgress: (report: ImportReport) => void
): Promise<ImportReport> {
  const created = { users: 0, follows: 0, posts: 0, likes: 0 }
  const rejections: Rejection[] = []
  let sent = 0
  let rejected = 0
  const report = () => ({
    records: sent,
    created,
    rejected,
    rejections: rejections.map(({ line, reason }) => ({ line, reason }))
  })
  let part: ImportRecord[] = []
  async function flush(): Promise<void> {
    if (part.length === 0) return
    const result = await admin.batch(toBatch(part))
    for (const kind of ['users', 'follows', 'posts', 'likes'] as const)
      created[kind] += result.created[kind]
    sent += part.length
    part = []
    onProgress(report())
  }
  for await (const record of records) {
    if (record.kind === 'rejected') {
      rejected++
      if (rejections.length < SHOWN) rejections.push(record)
      continue
    }
    // A batch is applied users first, likes last: one kind per batch keeps the order of the file.
    if (part.length === BATCH || (part[0] && part[0].kind !== record.kind)) await flush()
    part.push(record)
  }
  await flush()
  return report()
}

function toBatch(records: readonly ImportRecord[]): Batch {
  const users: (ProfileChange & { id: UserId })[] = []
  const follows: { follower: UserId; followee: UserId }[] = []
  const posts: BatchPost[] = []
  const likes: BatchLike[] = []
  for (const record of records) {
    if (record.kind === 'user') users.push(record.value)
    if (record.kind === 'follow') follows.push(record.value)
    if (record.kind === 'post') posts.push(record.value)
    if (record.kind === 'like') likes.push(record.value)
  }
  return { users, follows, posts, likes }
}
