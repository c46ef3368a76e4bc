import type { VerifiedCounts, VerifyReport } from './admin-api.ts'

const EXAMPLES_MAX = 20

/** The report of no reader at all: what reports are added to. */
export const NOTHING_VERIFIED: VerifyReport = {
  readers: 0,
  cold: 0,
  pages: { warm: 0, store: 0, seam: 0 },
  pending: 0,
  differences: 0,
  missing: 0,
  extra: 0,
  misordered: 0,
  repaired: 0,
  stillWrong: 0,
  counts: { checked: 0, wrong: 0, repaired: 0, examples: [] },
  examples: []
}

/** Sums the reports of different readers. Keeps the first 20 examples; `pending` is the most that one of them says. */
export function mergeReports(reports: Iterable<VerifyReport>): VerifyReport {
  return [...reports].reduce(add, NOTHING_VERIFIED)
}

function add(a: VerifyReport, b: VerifyReport): VerifyReport {
  return {
    readers: a.readers + b.readers,
    cold: a.cold + b.cold,
    pages: {
      warm: a.pages.warm + b.pages.warm,
      store: a.pages.store + b.pages.store,
      seam: a.pages.seam + b.pages.seam
    },
    pending: Math.max(a.pending, b.pending),
    differences: a.differences + b.differences,
    missing: a.missing + b.missing,
    extra: a.extra + b.extra,
    misordered: a.misordered + b.misordered,
    repaired: a.repaired + b.repaired,
    stillWrong: a.stillWrong + b.stillWrong,
    counts: addCounts(a.counts, b.counts),
    examples: [...a.examples, ...b.examples].slice(0, EXAMPLES_MAX)
  }
}

function addCounts(a: VerifiedCounts, b: VerifiedCounts): VerifiedCounts {
  return {
    checked: a.checked + b.checked,
    wrong: a.wrong + b.wrong,
    repaired: a.repaired + b.repaired,
    examples: [...a.examples, ...b.examples].slice(0, EXAMPLES_MAX)
  }
}
