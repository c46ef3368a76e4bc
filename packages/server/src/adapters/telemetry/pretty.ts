/** A line of JSON as people read it: `12:00:01.250 WARN  message  name=value`, stacks of errors below. */
export function pretty(line: string): string {
  const { time, level, message, ...fields } = JSON.parse(line) as Record<string, unknown>
  const clock = String(time).slice(11, 23)
  const head = `${clock} ${String(level).toUpperCase().padEnd(5)} ${message}`
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`)
  const stacks = Object.values(fields)
    .map(stackOf)
    .filter(stack => stack !== undefined)
  return `${[[head, ...shown].join('  '), ...stacks].join('\n')}\n`
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return stackOf(value) === undefined
    ? JSON.stringify(value)
    : String((value as { message?: unknown }).message)
}

function stackOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('stack' in value)) return undefined
  return typeof value.stack === 'string' ? value.stack : undefined
}
