import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../../domain/errors.ts'
import type { AuthOptions } from './auth-options.ts'
import { type Caller, callerReader } from './caller.ts'

/** Who may call a route: a user (or the server key for one), the server key alone, or both. */
export type Access = 'user' | 'server' | 'any'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `user` if absent. */
    access?: Access
  }
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** Every route of `app` asks who calls, before the body is read. */
export function guard(app: FastifyInstance, options: AuthOptions): void {
  const readCaller = callerReader(options)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async request => {
    const caller = await readCaller(request)
    checkAccess(caller, request.routeOptions.config.access ?? 'user')
    request.caller = caller
  })
}

export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Problem('unauthenticated')
  return request.caller
}

function checkAccess(caller: Caller, access: Access): void {
  if (access === 'server' && caller.kind !== 'server') throw new Problem('server_key_required')
  if (access === 'user' && caller.user === null) throw nobodyNamed()
}

function nobodyNamed(): Problem {
  return new Problem(
    'forbidden',
    'The server key alone is no user. Name one in the header Fanwise-User, or send the token of a user.'
  )
}
