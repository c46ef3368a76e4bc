import type { UserId } from '@fanwise/sdk'
import type { FastifyRequest } from 'fastify'
import { Problem } from '../../domain/errors.ts'
import { isUserId } from '../../domain/user.ts'
import type { AuthOptions } from './auth-options.ts'
import { serverKeyCheck } from './server-key.ts'
import { UserTokens } from './user-tokens.ts'

/** Who sent a request: a user, or the app's backend, which may act for one. */
export type Caller =
  | { readonly kind: 'user'; readonly user: UserId }
  | { readonly kind: 'server'; readonly user: UserId | null }

const BEARER = /^Bearer +(.+)$/i

/** Names the user for whom the server key acts. */
export const ACTING_FOR = 'fanwise-user'

/** Learns who sent a request from its headers alone. */
export function callerReader(options: AuthOptions): (request: FastifyRequest) => Promise<Caller> {
  const isServerKey = serverKeyCheck(options.serverKey)
  const tokens = new UserTokens(options)
  return async ({ headers }) => {
    const [, token] = BEARER.exec(headers.authorization ?? '') ?? []
    if (token === undefined) throw new Problem('unauthenticated')
    const actingFor = headers[ACTING_FOR]
    if (isServerKey(token)) return { kind: 'server', user: checkedUser(actingFor) }
    const user = await tokens.userOf(token)
    if (actingFor !== undefined && actingFor !== user) throw notTheirToken()
    return { kind: 'user', user }
  }
}

function checkedUser(header: string | string[] | undefined): UserId | null {
  if (header === undefined) return null
  if (typeof header === 'string' && isUserId(header)) return header
  throw new Problem(
    'invalid_request',
    'The header Fanwise-User has to be one user id: 1 to 64 of A-Z a-z 0-9 _ . : -'
  )
}

function notTheirToken(): Problem {
  return new Problem(
    'forbidden',
    'The header Fanwise-User names another user than the token. Only the server key may act for others.'
  )
}
