import type { AdminApi, UserId, VerifyReport } from '@fanwise/sdk'

const AT_ONCE = 4
const EXAMPLES = 20

export const NOTHING_VERIFIED: VerifyReport = {
  readers: 0,
  pages: { warm: 0, store: 0, seam: 0 },
  differences: 0,
  missing: 0,
  extra: 0,
  misordered: 0,
  examples: []
}

/** Verifies each reader through the server, a few at once. */
export async function verifyReaders(
  admin: AdminApi,
  readers: readonly UserId[],
  onProgress: (report: VerifyReport) => void
): Promise<VerifyReport> {
  let total = NOTHING_VERIFIED
  const waiting = readers.values()
  async function work(): Promise<void> {
    for (const reader of waiting) {
      const report = await admin.verify(reader)
      total = add(total, report)
      onProgress(total)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return total
}

function add(a: VerifyReport, b: VerifyReport): VerifyReport {
  return {
    readers: a.readers + b.readers,
    pages: {
      warm: a.pages.warm + b.pages.warm,
      store: a.pages.store + b.pages.store,
      seam: a.pages.seam + b.pages.seam
    },
    differences: a.differences + b.differences,
    missing: a.missing + b.missing,
    extra: a.extra + b.extra,
    misordered: a.misordered + b.misordered,
    examples: [...a.examples, ...b.examples].slice(0, EXAMPLES)
  }
}
