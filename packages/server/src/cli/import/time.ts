/** ISO 8601, or Unix time in seconds, ms or us (told apart by size). Undefined when it is none of these. */
export function parseTime(value: unknown): string | undefined {
  const text = String(value).trim()
  const ms = /^[0-9]{9,16}$/.test(text) ? fromUnix(text) : Date.parse(withZone(text))
  return Number.isNaN(ms) || Math.abs(ms) > 8.64e15 ? undefined : new Date(ms).toISOString()
}

function fromUnix(text: string): number {
  const number = Number(text)
  if (number < 1e11) return number * 1000
  return number < 1e14 ? number : Math.floor(number / 1000)
}

/** A time without a zone is taken as UTC: an import must not depend on where it runs. */
function withZone(text: string): string {
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)
    ? `${text.replace(' ', 'T')}Z`
    : text
}
