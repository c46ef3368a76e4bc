import type { FastifyInstance } from 'fastify'
import { Problem } from '../domain/errors.ts'

/** Deeper values would exhaust the stack of whoever walks them. */
const NESTING_MAX = 32

/** Bodies are JSON in UTF-8, read strictly; an empty one is none. */
export function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (_: unknown, body: Buffer) => parseBody(body)
  )
}

/** @throws Problem invalid_json, or invalid_request for JSON that cannot be kept as it is. */
export function parseBody(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined
  const value = parseJson(bytes)
  checkValue(value, 0)
  return value
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? cause.message : 'it is not UTF-8'
    throw new Problem('invalid_json', `The body is not valid JSON: ${reason}`, {}, { cause })
  }
}

function checkValue(value: unknown, depth: number): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Problem('invalid_request', 'The body holds a number that is too large.')
  if (typeof value !== 'object' || value === null) return
  if (depth >= NESTING_MAX)
    throw new Problem('invalid_request', `The body is nested deeper than ${NESTING_MAX} levels.`)
  for (const [key, inside] of Object.entries(value)) {
    if (key === '__proto__')
      throw new Problem(
        'invalid_request',
        'The body has a field named __proto__, which is refused.'
      )
    checkValue(inside, depth + 1)
  }
}
