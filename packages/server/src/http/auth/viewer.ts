import type { FastifyRequest } from 'fastify'
import type { Backend, UserBackend } from '../backend.ts'
import { sessionOf } from '../commits.ts'
import { callerOf } from './access.ts'

/** The backend as the user who asks, with what the request tells of commits; `otherwise` stands in when the server key names nobody. */
export function viewer(backend: Backend, request: FastifyRequest, otherwise = ''): UserBackend {
  return backend.as(callerOf(request).user ?? otherwise, sessionOf(request))
}
