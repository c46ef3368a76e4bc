import type { PageSources, VerifyExample, VerifyReport } from '@fanwise/sdk'

const EXAMPLES_MAX = 20

export const NO_READERS: VerifyReport = {
  readers: 0,
  pages: { warm: 0, store: 0, seam: 0 },
  differences: 0,
  missing: 0,
  extra: 0,
  misordered: 0,
  examples: []
}

export function addPages(a: PageSources, b: PageSources): PageSources {
  return { warm: a.warm + b.warm, store: a.store + b.store, seam: a.seam + b.seam }
}

/** The report of one reader. */
export function reportOf(pages: PageSources, found: readonly VerifyExample[]): VerifyReport {
  const count = (kind: VerifyExample['kind']) => found.filter(one => one.kind === kind).length
  return {
    readers: 1,
    pages,
    differences: found.length,
    missing: count('missing'),
    extra: count('extra'),
    misordered: count('misordered'),
    examples: found.slice(0, EXAMPLES_MAX)
  }
}

/** Sums reports of different readers; keeps the first 20 examples. */
export function mergeReports(reports: Iterable<VerifyReport>): VerifyReport {
  return [...reports].reduce(
    (sum, one) => ({
      readers: sum.readers + one.readers,
      pages: addPages(sum.pages, one.pages),
      differences: sum.differences + one.differences,
      missing: sum.missing + one.missing,
      extra: sum.extra + one.extra,
      misordered: sum.misordered + one.misordered,
      examples: [...sum.examples, ...one.examples].slice(0, EXAMPLES_MAX)
    }),
    NO_READERS
  )
}
