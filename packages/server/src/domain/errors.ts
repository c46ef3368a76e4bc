/** Every error that the API answers: its HTTP status and what it means. docs/errors.md explains each code. */
export const ERRORS = {
  invalid_request: [400, 'The request does not fit the schema of the route.'],
  invalid_json: [400, 'The body is not valid JSON.'],
  invalid_cursor: [400, 'The cursor was not made by this server for this list and reader.'],
  invalid_commit: [400, 'A commit token was not made by this server, or there are too many.'],
  invalid_bounds: [400, 'The bounds of the page do not fit each other.'],
  invalid_text: [400, 'The text holds a NUL or half of a surrogate pair.'],
  invalid_idempotency_key: [400, 'The Idempotency-Key is not 1 to 255 visible ASCII characters.'],
  media_not_enabled: [400, 'This server stores no media.'],
  self_relation: [400, 'Users cannot follow, block or mute themselves.'],
  time_out_of_range: [
    400,
    'The time is before 1985-02-09T22:45:58.204Z or more than 5 s in the future.'
  ],
  unauthenticated: [401, 'A valid bearer token is needed.'],
  forbidden: [403, 'The token does not allow this.'],
  server_key_required: [403, 'This route needs the server key.'],
  not_author: [403, 'Only the author may change a post.'],
  blocked: [403, 'One of the two users blocks the other.'],
  private_account: [403, 'The account is private: only followers whom it accepted see its posts.'],
  account_suspended: [403, 'The account is suspended.'],
  account_gone: [403, 'The account was deleted; its id is not given out again.'],
  route_not_found: [404, 'There is no such route.'],
  post_not_found: [404, 'There is no such post, or it is not visible to the reader.'],
  user_not_found: [404, 'There is no such user, or they are not visible to the reader.'],
  event_not_found: [404, 'There is no such event among those that were given up.'],
  request_not_found: [404, 'There is no such request to follow.'],
  method_not_allowed: [405, 'The route does not know this method.'],
  idempotency_conflict: [409, 'The Idempotency-Key was used with another request.'],
  follows_limit: [409, 'The user follows as many users as allowed.'],
  requests_limit: [409, 'The user waits for as many private accounts as allowed.'],
  rules_limit: [409, 'The user has as many blocks, mutes or hidden posts as allowed.'],
  snapshot_gone: [410, 'The snapshot is gone; begin again with page 1.'],
  payload_too_large: [413, 'The body is larger than allowed.'],
  unsupported_media_type: [415, 'The body has to be application/json.'],
  internal: [500, 'Something failed that should not. The request id finds it in the log.'],
  unavailable: [
    503,
    'A dependency is down or slow; repeating the request is safe with an Idempotency-Key.'
  ],
  clock_behind: [
    503,
    'The database clock is over 5 s behind the newest post; no ids are made until it catches up.'
  ]
} as const satisfies Record<string, readonly [number, string]>

export type ErrorCode = keyof typeof ERRORS

/** An error with a stable code; `message` names the offending value and the way out. */
export class Problem extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code][1],
    details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions
  ) {
    super(message, options)
    this.name = 'Problem'
    this.code = code
    this.details = details
  }

  get status(): number {
    return ERRORS[this.code][0]
  }
}
