import Type from 'typebox'
import { COMMITS_MAX } from '../../domain/commit.ts'
import { ERRORS, type ErrorCode, Problem } from '../../domain/errors.ts'
import type { Access } from '../auth/access.ts'
import { PROBLEM_TYPE, problemDetails } from '../problem-details.ts'
import { ProblemRef } from './problem.ts'

const SECURITY: Record<Access, readonly Record<string, readonly string[]>[]> = {
  user: [{ userToken: [] }, { serverKey: [] }],
  server: [{ serverKey: [] }],
  any: [{ userToken: [] }, { serverKey: [] }]
}

/** Errors that any route of the API may answer. */
const COMMON: readonly ErrorCode[] = [
  'invalid_request',
  'unauthenticated',
  'internal',
  'unavailable'
]
const BY_ACCESS: Record<Access, readonly ErrorCode[]> = {
  user: ['forbidden', 'account_gone'],
  server: ['server_key_required'],
  any: ['forbidden', 'account_gone']
}
const BY_WRITE: readonly ErrorCode[] = ['invalid_idempotency_key', 'idempotency_conflict']
const BY_BODY: readonly ErrorCode[] = [
  ...(['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const)
]

interface Operation {
  readonly id: string
  readonly tag: string
  readonly summary: string
  /** `user` if absent. */
  readonly access?: Access
  /** It changes something, and takes an Idempotency-Key. */
  readonly writes?: boolean
  /** It takes a body. */
  readonly takesBody?: boolean
  /** The success by its status. */
  readonly answer: Readonly<Record<number, object>>
  /** What it may answer beside the errors that all routes of its kind share. */
  readonly errors?: readonly ErrorCode[]
}

/** The success that says nothing. */
export const DONE = { 204: Type.Null({ description: 'Done, now or before.' }) }

const COMMITTED =
  'What changes a feed answers the header `Fanwise-Commit`: it names what was written, for `Fanwise-Min-Commit`.'

/** What the documentation tells of a route beside its parameters and body. */
export function operation(one: Operation) {
  const { access = 'user', writes = false, takesBody = false } = one
  const codes = [
    ...[...COMMON, ...BY_ACCESS[access]],
    ...(writes && access !== 'server' ? (['account_suspended'] as const) : []),
    ...[...(writes ? BY_WRITE : []), ...(takesBody ? BY_BODY : [])],
    ...(access !== 'server' && !writes ? (['invalid_commit'] as const) : []),
    ...(one.errors ?? [])
  ]
  return {
    operationId: one.id,
    tags: [one.tag],
    summary: one.summary,
    ...(writes && access !== 'server' && { description: COMMITTED }),
    security: SECURITY[access],
    headers: headers(access, writes) as object,
    response: { ...one.answer, ...problems(codes) } as Record<string, object>
  }
}

/** Documented here; what they hold is checked where they are read. */
function headers(access: Access, writes: boolean) {
  const key = Type.String({
    description: 'Makes a repetition safe for 24 h: 1-255 visible ASCII characters of your choice.'
  })
  const actingFor = Type.String({
    description: 'For whom the server key acts; not with user tokens.'
  })
  const minCommit = Type.String({
    description: `Values of \`Fanwise-Commit\` that writes answered, at most ${COMMITS_MAX}, separated by commas: what they name is looked for, whatever has reached this server.`
  })
  return Type.Object({
    ...(writes && { 'Idempotency-Key': Type.Optional(key) }),
    ...(access !== 'server' && { 'Fanwise-User': Type.Optional(actingFor) }),
    ...(access !== 'server' && !writes && { 'Fanwise-Min-Commit': Type.Optional(minCommit) })
  })
}

/** Responses by status, each with an example per code. */
function problems(codes: readonly ErrorCode[]) {
  const statuses = [...new Set(codes.map(code => ERRORS[code][0]))].sort()
  return Object.fromEntries(
    statuses.map(status => [status, problemResponse(codes.filter(of => ERRORS[of][0] === status))])
  )
}

function problemResponse(codes: readonly ErrorCode[]) {
  const examples = Object.fromEntries(
    codes.map(code => [code, { value: problemDetails(new Problem(code), 'req-1') }])
  )
  const description = codes.map(code => `\`${code}\`: ${ERRORS[code][1]}`).join(' ')
  return { description, content: { [PROBLEM_TYPE]: { schema: ProblemRef, examples } } }
}
