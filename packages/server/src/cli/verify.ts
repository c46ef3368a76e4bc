import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AdminApi,
  mergeReports,
  NOTHING_VERIFIED,
  type UserId,
  type VerifyQuery,
  type VerifyReport
} from '@fanwise/sdk'
import { ofReader } from './of-reader.ts'

const AT_ONCE = 4

export interface VerifyOptions extends VerifyQuery {
  /** Readers begun per second at most. */
  readonly rate: number
  readonly onProgress: (report: VerifyReport) => void
}

/** Verifies each reader through the server, a few at once. */
export async function verifyReaders(
  admin: Pick<AdminApi, 'verify'>,
  readers: readonly UserId[],
  { rate, onProgress, ...query }: VerifyOptions
): Promise<VerifyReport> {
  let total = NOTHING_VERIFIED
  const began = performance.now()
  const waiting = readers.entries()
  async function work(): Promise<void> {
    for (const [nth, reader] of waiting) {
      await sleep(Math.max(0, began + (nth * 1000) / rate - performance.now()))
      const report = await ofReader(reader, admin.verify(reader, query))
      total = mergeReports([total, report])
      onProgress(total)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return total
}

/** Nothing is wrong any more, and everything could be judged. */
export function isClean({ stillWrong, counts, pending }: VerifyReport): boolean {
  return stillWrong === 0 && counts.wrong === counts.repaired && pending === 0
}

export function describe(report: VerifyReport): string[] {
  const { warm, store, seam } = report.pages
  const { checked, wrong, repaired, examples } = report.counts
  return [
    `${report.readers} readers, ${report.cold} with a cold feed`,
    `${warm} pages warm, ${store} from the store, ${seam} across the seam`,
    ...(report.pending > 0
      ? [`${report.pending} events were not worked off in time: feeds may lack what they bring`]
      : []),
    `${report.differences} differences: ${report.missing} missing, ${report.extra} extra, ${report.misordered} misordered`,
    ...report.examples.map(
      ({ reader, walk, kind, post }) => `  ${reader} (${walk}): ${kind} ${post}`
    ),
    `${checked} counts, ${wrong} wrong`,
    ...examples.map(
      ({ reader, of, post, shown, counted }) =>
        `  ${reader}: ${of}${post === null ? '' : ` of ${post}`} ${shown}, rows say ${counted}`
    ),
    ...(report.repaired > 0 || repaired > 0
      ? [`repaired: ${report.repaired} feeds, ${repaired} counts`]
      : []),
    ...(report.stillWrong > 0 || wrong > repaired
      ? [`still wrong: ${report.stillWrong} feeds, ${wrong - repaired} counts`]
      : [])
  ]
}
