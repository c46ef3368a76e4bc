import { DatabaseError } from 'pg'
import { Problem } from '../../domain/errors.ts'

/** Classes and codes of PostgreSQL that pass: connection lost, no resources, cancelled, shut down, read-only. */
const PASSING = /^(08|53|57|58)|^(55P03|25006|40001|40P01)$/
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

/** What a caller of the Store gets for an error of the driver. Errors of the program stay as they are. */
export function asProblem(error: unknown): unknown {
  if (error instanceof Problem || error instanceof TypeError || error instanceof RangeError)
    return error
  if (!(error instanceof DatabaseError)) return unavailable(error)
  const code = error.code ?? ''
  if (code === CLOCK_BEHIND) return new Problem('clock_behind', error.message)
  if (NOT_TEXT.has(code)) return new Problem('invalid_text', undefined, {}, { cause: error })
  if (code === TOO_DEEP)
    return new Problem('invalid_request', 'The value is nested too deeply.', {}, { cause: error })
  return PASSING.test(code) ? unavailable(error) : error
}

function unavailable(cause: unknown): Problem {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new Problem('unavailable', `The database does not answer: ${reason}`, {}, { cause })
}
