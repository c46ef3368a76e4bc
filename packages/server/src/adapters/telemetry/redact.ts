/** Names of fields whose values are never logged. */
const SECRET_NAME = /authorization|cookie|token|secret|password|passwd|server_?key|api_?key/i
const BEARER = /\b(bearer\s+)[\w.~+/=-]+/gi
const URL_PASSWORD = /(\/\/[^\s:/@]*:)[^\s@/]+@/g
const JWT = /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g

const HIDDEN = '[hidden]'
const DEPTH = 6

/** Takes bearer tokens and passwords of URLs out of a text. */
export function redactText(text: string): string {
  return text
    .replace(BEARER, `$1${HIDDEN}`)
    .replace(JWT, HIDDEN)
    .replace(URL_PASSWORD, `$1${HIDDEN}@`)
}

/** A copy for the log: JSON values only, errors spelled out, secrets hidden. */
export function redact(value: unknown, depth = DEPTH): unknown {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
  if (typeof value === 'function') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return '[deep]'
  if (value instanceof Error) return redact(describe(value), depth)
  if (value instanceof Date) return value.toJSON()
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof Map || value instanceof Set) return redact([...value], depth)
  if (Array.isArray(value)) return value.map(item => redact(item, depth - 1))
  return redactFields(value, depth)
}

function redactFields(value: object, depth: number): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const [name, inside] of Object.entries(value))
    fields[name] = SECRET_NAME.test(name) ? HIDDEN : redact(inside, depth - 1)
  return fields
}

function describe(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error
  const said = { name, message, stack, ...(cause === undefined ? {} : { cause }) }
  return Object.assign(said, { ...error })
}
