import { DatabaseError } from 'pg'
import { Problem } from '../../domain/errors.ts'

/** Classes and codes of PostgreSQL that pass: connection lost, no resources, cancelled, shut down, read-only. */
const PASSING = /^(08|53|57|58|25P0)|^(55P03|25006|40001|40P01)$/

/** What Node says when a connection can't be made or is gone. */
const UNCONNECTED =
  /^(E(CONN|HOST|NET|ADDR)[A-Z]+|EPIPE|ETIMEDOUT|ENOTFOUND|ENOENT|EAI_[A-Z]+|E[MN]FILE|ERR_STREAM_(DESTROYED|WRITE_AFTER_END|PREMATURE_CLOSE))$/

/** What the driver says then; it gives no codes. A test looks these texts up in the driver. */
export const DRIVER_FAILURES: readonly string[] = [
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
  'There was an error establishing an SSL connection'
]
const NOT_TEXT = new Set(['22021', '22P05'])
const TOO_DEEP = '54001'

/** The code that post_clock raises. */
const CLOCK_BEHIND = 'FW001'

export function isCollision(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40001' || error.code === '40P01')
}

/** Another id was made with the same time, shard and sequence. */
export function isTakenId(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.code === '23505' && error.constraint === 'posts_pkey'
  )
}

/** Whether the connection is still good after this error: the server itself answered. */
export function wasAnswered(error: unknown): boolean {
  if (error instanceof Problem) return true
  return error instanceof DatabaseError && error.severity === 'ERROR'
}

/**
 * What a caller of the Store gets for an error. Unavailable is only what is known to pass: everything else stays as it
 * is, for who would repeat a fault of the program would repeat it for ever.
 */
export function asProblem(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return isUnconnected(error) ? unavailable(error) : error
  const code = error.code ?? ''
  if (code === CLOCK_BEHIND) return new Problem('clock_behind', error.message)
  if (NOT_TEXT.has(code)) return new Problem('invalid_text', undefined, {}, { cause: error })
  if (code === TOO_DEEP)
    return new Problem('invalid_request', 'The value is nested too deeply.', {}, { cause: error })
  return PASSING.test(code) ? unavailable(error) : error
}

function isUnconnected(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Problem) return false
  if (DRIVER_FAILURES.includes(error.message)) return true
  if ('code' in error && UNCONNECTED.test(String(error.code))) return true
  const parts = error instanceof AggregateError ? error.errors : [error.cause]
  return parts.some(isUnconnected)
}

export function unavailable(cause: unknown): Problem {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new Problem('unavailable', `The database does not answer: ${reason}`, {}, { cause })
}
