import type { ErrorCode, ProblemDetails } from './api.ts'

/** What the server refused or failed to do. `docs/errors.md` of Fanwise explains each code. */
export class FanwiseError extends Error {
  /** Stable: decide by it. `unavailable` also when the server could not be reached. */
  readonly code: ErrorCode
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number
  /** Finds the request in the log of the server; null when there was no answer. */
  readonly requestId: string | null
  /** Where the request did not fit its schema. */
  readonly errors: readonly string[]

  constructor(
    problem: Pick<ProblemDetails, 'code' | 'status' | 'message'> & Partial<ProblemDetails>,
    options?: ErrorOptions
  ) {
    super(problem.message, options)
    this.name = 'FanwiseError'
    this.code = problem.code
    this.status = problem.status
    this.requestId = problem.requestId ?? null
    this.errors = problem.errors ?? []
  }
}

/** Reads an answer that is no success; one that does not come from Fanwise is judged by its status. */
export async function errorOf(response: Response): Promise<FanwiseError> {
  const { status } = response
  const body: unknown = await response.json().catch(() => null)
  if (isProblem(body)) return new FanwiseError({ ...body, status })
  const message = `The answer has the status ${status} and does not come from Fanwise.`
  return new FanwiseError({ code: codeOf(status), status, message })
}

function isProblem(body: unknown): body is ProblemDetails {
  if (typeof body !== 'object' || body === null) return false
  return 'code' in body && 'message' in body && typeof body.code === 'string'
}

function codeOf(status: number): ErrorCode {
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'route_not_found'
  if (status === 413) return 'payload_too_large'
  if (isRetryable(status)) return 'unavailable'
  return status >= 500 ? 'internal' : 'invalid_request'
}

/** The server, or what stands before it, could not answer now. */
export function isRetryable(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504
}
