import type { ErrorCode } from '@fanwise/sdk'

/** What the server says of an entry of a batch, and not of the request, the caller or itself. */
const OF_LINES: ReadonlySet<unknown> = new Set<ErrorCode>([
  'invalid_request',
  'invalid_text',
  'self_relation',
  'time_out_of_range',
  'blocked',
  'account_suspended',
  'account_gone',
  'post_not_found',
  'user_not_found',
  'follows_limit',
  'payload_too_large'
])

/** Whether an error of a batch is the fault of one or more of its entries. */
export function isOfLine(error: unknown): boolean {
  return OF_LINES.has((error as { code?: unknown }).code)
}

/** The server's words, with the places that did not fit its schema. */
export function messageOf(error: unknown): string {
  const { message, errors = [] } = error as Error & { errors?: readonly string[] }
  return [message, ...errors].join(' ')
}
