import type { Machine } from './machine.ts'
import type { Result, Row } from './results.ts'
import { median } from './statistics.ts'

/** A result as Markdown: what was measured, how to repeat it, on what, and a table. */
export function report(result: Result): string {
  const { about, setting, command, at, machine, rows } = result
  const cells = [['variant', 'measured', 'median', 'spread'], ...rows.map(cellsOf)]
  return [
    `${about} ${setting}`,
    '',
    ...markdownTable(cells),
    '',
    `\`${command}\` on ${at.slice(0, 10)} at ${machine.commit}, ${rows[0]?.values.length ?? 0} rounds. ${words(machine)}`
  ].join('\n')
}

function cellsOf({ variant, measured, values }: Row): string[] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return [variant || 'ratio', measured, short(median(values)), `${short(low)} - ${short(high)}`]
}

function short(value: number): string {
  const rounded = Number(value.toPrecision(3))
  return rounded >= 1000 ? rounded.toLocaleString('en-US') : String(rounded)
}

function words({ cpu, cores, memoryGiB, node, othersPercent }: Machine): string {
  const machine = `${cores} cores of a shared virtual machine (${cpu}, ${memoryGiB} GiB), Node ${node}`
  const others =
    othersPercent > 10
      ? `; other work took ${othersPercent} % of the machine as it began`
      : '; nothing else ran as it began'
  return `${machine}${others}.`
}

export function markdownTable(rows: readonly (readonly string[])[]): string[] {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = widths.map(width => '-'.repeat(width))
  return [line(head), line(rule), ...rows.slice(1).map(line)]
}

/** Puts the report of each result between its marks. @throws Error when marks and results differ. */
export function fillIn(text: string, results: readonly Result[]): string {
  const MARKED = /(<!-- bench ([a-z0-9-]+) -->\n)[\s\S]*?(<!-- \/bench -->)/g
  const marked = [...text.matchAll(MARKED)].map(([, , name]) => name)
  const kept = results.map(({ bench }) => bench)
  const lost = kept.filter(name => !marked.includes(name))
  if (lost.length > 0) throw new Error(`There is no place for the results of ${lost.join(', ')}`)
  return text.replace(MARKED, (_, open: string, name: string, close: string) => {
    const result = results.find(({ bench }) => bench === name)
    if (result === undefined) throw new Error(`There are no results of ${name}`)
    return `${open}\n${report(result)}\n\n${close}`
  })
}
