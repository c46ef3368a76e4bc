import {
  NOTHING_VERIFIED,
  type PageSources,
  type VerifyExample,
  type VerifyReport
} from '@fanwise/sdk'

const EXAMPLES_MAX = 20

export function addPages(a: PageSources, b: PageSources): PageSources {
  return { warm: a.warm + b.warm, store: a.store + b.store, seam: a.seam + b.seam }
}

/** The report of one reader. */
export function reportOf(
  reader: Pick<VerifyReport, 'cold' | 'pages' | 'pending'>,
  found: readonly VerifyExample[]
): VerifyReport {
  const count = (kind: VerifyExample['kind']) => found.filter(one => one.kind === kind).length
  return {
    ...NOTHING_VERIFIED,
    ...reader,
    readers: 1,
    differences: found.length,
    missing: count('missing'),
    extra: count('extra'),
    misordered: count('misordered'),
    examples: found.slice(0, EXAMPLES_MAX)
  }
}
