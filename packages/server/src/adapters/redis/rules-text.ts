import type { PostId } from '../../domain/post-id.ts'
import type { Rules } from '../../domain/rules.ts'

type Row = readonly [number[], number[], number[], PostId[], [number, PostId][]]

/** Rules as text: five rows of JSON, in the order of `Row`. */
export function writeRules({ blocks, mutes, cuts, hides, pulled }: Rules): string {
  const row: Row = [[...blocks], [...mutes], [...cuts], [...hides], [...pulled]]
  return JSON.stringify(row)
}

export function readRules(text: string): Rules {
  const [blocks, mutes, cuts, hides, pulled] = JSON.parse(text) as Row
  return {
    blocks: new Set(blocks),
    mutes: new Set(mutes),
    cuts: new Set(cuts),
    hides: new Set(hides),
    pulled: new Map(pulled)
  }
}
