import {
  type AdminApi,
  mergeReports,
  NOTHING_VERIFIED,
  type UserId,
  type VerifyReport
} from '@fanwise/sdk'
import { ofReader } from './of-reader.ts'

const AT_ONCE = 4

/** Verifies each reader through the server, a few at once. */
export async function verifyReaders(
  admin: Pick<AdminApi, 'verify'>,
  readers: readonly UserId[],
  onProgress: (report: VerifyReport) => void
): Promise<VerifyReport> {
  let total = NOTHING_VERIFIED
  const waiting = readers.values()
  async function work(): Promise<void> {
    for (const reader of waiting) {
      const report = await ofReader(reader, admin.verify(reader))
      total = mergeReports([total, report])
      onProgress(total)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return total
}
