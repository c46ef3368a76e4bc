import { Problem } from './errors.ts'

/** System errors of connections, and SQLSTATE classes: connection, transaction rollback, resources, operator. */
const TRANSIENT = /^(E[A-Z]{3,}|ABORT_ERR|08...|40...|53...|57...)$/

/** Whether trying again later can help, as opposed to an event that can never be handled. */
export function isTransient(error: unknown): boolean {
  if (error instanceof Problem) return error.code === 'unavailable' || error.code === 'clock_behind'
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code === 'string' && TRANSIENT.test(code)) return true
  return error instanceof Error && error.cause !== undefined && isTransient(error.cause)
}
