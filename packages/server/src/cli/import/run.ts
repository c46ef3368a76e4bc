import type { AdminApi, Batch, BatchLike, BatchPost, ProfileChange, UserId } from '@fanwise/sdk'
import type { ImportRecord, Origin, Parsed } from './record.ts'
import { isOfLine, messageOf } from './refusal.ts'

const KINDS = ['users', 'follows', 'posts', 'likes'] as const

export interface ImportReport {
  /** Sent and taken. */
  readonly records: number
  readonly created: Readonly<Record<(typeof KINDS)[number], number>>
  readonly rejected: number
  /** The first few lines that were not imported, and why. */
  readonly rejections: readonly (Origin & { readonly reason: string })[]
  /** Stopped before the end; the same import again goes on. */
  readonly interrupted: boolean
}

export interface ImportOptions {
  readonly onProgress?: (report: ImportReport) => void
  /** Stops the import behind the batch that is under way. */
  readonly signal?: AbortSignal
}

const BATCH = 1000
const SHOWN = 10

/**
 * Sends records in batches, in their order. Records that are there already change nothing; a record that the server
 * refuses is rejected with its line, and the others go on.
 */
export async function runImport(
  admin: Pick<AdminApi, 'batch'>,
  records: AsyncIterable<Parsed>,
  { onProgress = () => {}, signal }: ImportOptions = {}
): Promise<ImportReport> {
  const tally = new Tally()
  let part: ImportRecord[] = []
  async function flush(): Promise<void> {
    await send(admin, part, tally)
    part = []
    onProgress(tally.report(false))
  }
  for await (const record of records) {
    if (signal?.aborted) return tally.report(true)
    if (record.kind === 'rejected') {
      tally.reject(record, record.reason)
      continue
    }
    // A batch is applied users first, likes last: one kind per batch keeps the order of the file.
    if (part.length === BATCH || (part[0] && part[0].kind !== record.kind)) await flush()
    part.push(record)
  }
  if (signal?.aborted) return tally.report(true)
  await flush()
  return tally.report(false)
}

/** Halves what the server refuses until the lines are found that it refuses. */
async function send(
  admin: Pick<AdminApi, 'batch'>,
  part: readonly ImportRecord[],
  tally: Tally
): Promise<void> {
  const [first] = part
  if (first === undefined) return
  try {
    tally.take(part.length, await admin.batch(toBatch(part)))
  } catch (error) {
    if (!isOfLine(error)) throw error
    if (part.length === 1) return tally.reject(first, messageOf(error))
    const half = part.length >> 1
    await send(admin, part.slice(0, half), tally)
    await send(admin, part.slice(half), tally)
  }
}

class Tally {
  readonly #created = { users: 0, follows: 0, posts: 0, likes: 0 }
  readonly #rejections: (Origin & { reason: string })[] = []
  #records = 0
  #rejected = 0

  take(records: number, { created }: Pick<ImportReport, 'created'>): void {
    this.#records += records
    for (const kind of KINDS) this.#created[kind] += created[kind]
  }

  reject({ line, file }: Origin, reason: string): void {
    this.#rejected++
    if (this.#rejections.length < SHOWN)
      this.#rejections.push({ ...(file !== undefined && { file }), line, reason })
  }

  report(interrupted: boolean): ImportReport {
    return {
      records: this.#records,
      created: { ...this.#created },
      rejected: this.#rejected,
      rejections: [...this.#rejections],
      interrupted
    }
  }
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
