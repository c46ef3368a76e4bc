import type { ProblemDetails } from '@fanwise/sdk'
import { ERRORS, Problem } from '../domain/errors.ts'
import { isTransient } from '../domain/is-transient.ts'

export const PROBLEM_TYPE = 'application/problem+json'

/** The body of an error. */
export function problemDetails(problem: Problem, requestId: string): ProblemDetails {
  const { code, message, details } = problem
  const [status, title] = ERRORS[code]
  const errors = Array.isArray(details.errors) ? { errors: details.errors.map(String) } : {}
  return {
    type: `urn:fanwise:error:${code}`,
    title,
    status,
    code,
    message,
    requestId,
    ...errors
  }
}

/** Headers that belong to a status. */
export function problemHeaders({ code, status, details }: Problem): Record<string, string> {
  if (code === 'unauthenticated') return { 'www-authenticate': 'Bearer' }
  if (code === 'method_not_allowed') return { allow: String(details.allow) }
  if (status === 503) return { 'retry-after': '1' }
  return {}
}

/**
 * What went wrong, as the client is told: a dependency that failed is `unavailable`, whatever nobody foresaw is
 * `internal`, and nothing of either gets out.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const code = isTransient(error) ? 'unavailable' : 'internal'
  return frameworkProblem(error) ?? new Problem(code, undefined, {}, { cause: error })
}

/** The complaints of Fastify about a request. */
function frameworkProblem(error: unknown): Problem | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('statusCode' in error)) return undefined
  const { code, statusCode } = error
  if (typeof code !== 'string' || !code.startsWith('FST_ERR_')) return undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Problem('payload_too_large')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Problem('unsupported_media_type')
  if (typeof statusCode !== 'number' || statusCode >= 500) return undefined
  return new Problem('invalid_request', error.message)
}
