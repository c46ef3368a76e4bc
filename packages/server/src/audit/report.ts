import {
  NOTHING_VERIFIED,
  type PageSources,
  type UserId,
  type VerifiedCounts,
  type VerifyExample,
  type VerifyReport
} from '@fanwise/sdk'
import type { CountFindings } from './compare-counts.ts'

const EXAMPLES_MAX = 20

export function addPages(a: PageSources, b: PageSources): PageSources {
  return { warm: a.warm + b.warm, store: a.store + b.store, seam: a.seam + b.seam }
}

export function reportOfCounts(reader: UserId, found: CountFindings): VerifiedCounts {
  const { checked, wrong, left } = found
  const shown = left.length > 0 ? left : wrong
  return {
    checked,
    wrong: wrong.length,
    repaired: wrong.length - left.length,
    examples: shown
      .slice(0, EXAMPLES_MAX)
      .map(({ of, post, shown, counted }) => ({ reader, of, post, shown, counted }))
  }
}

/** The report of one reader, whose differences are gone or still there. */
export function reportOf(
  reader: Pick<VerifyReport, 'cold' | 'pages' | 'pending' | 'counts'>,
  found: readonly VerifyExample[],
  isMended: boolean
): VerifyReport {
  const count = (kind: VerifyExample['kind']) => found.filter(one => one.kind === kind).length
  const isWrong = found.length > 0
  return {
    ...NOTHING_VERIFIED,
    ...reader,
    readers: 1,
    differences: found.length,
    missing: count('missing'),
    extra: count('extra'),
    misordered: count('misordered'),
    repaired: isWrong && isMended ? 1 : 0,
    stillWrong: isWrong && !isMended ? 1 : 0,
    examples: found.slice(0, EXAMPLES_MAX)
  }
}
