import type { Smallest } from './shrink.ts'

/** The command that runs a failure again, and tells what happens. */
export function replayCommand({ seed, steps, skip }: Omit<Smallest, 'violation'>): string {
  const left = skip.size === 0 ? '' : ` --skip=${ranges(skip)}`
  return `npm run sim -- --seed=${seed} --steps=${steps}${left} --trace`
}

/** `0-3,5`: what `parseRanges` reads. */
function ranges(indexes: ReadonlySet<number>): string {
  const parts: [number, number][] = []
  for (const index of [...indexes].sort((a, b) => a - b)) {
    const last = parts.at(-1)
    if (last !== undefined && last[1] === index - 1) last[1] = index
    else parts.push([index, index])
  }
  return parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')
}

export function parseRanges(text: string): Set<number> {
  const indexes = text.split(',').flatMap(part => {
    const [from = Number.NaN, to = from] = part.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, i) => from + i)
  })
  return new Set(text === '' ? [] : indexes)
}
