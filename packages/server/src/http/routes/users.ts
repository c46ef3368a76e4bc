import type { ProfileChange } from '@fanwise/sdk'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Problem } from '../../domain/errors.ts'
import { callerOf } from '../auth/access.ts'
import { viewer } from '../auth/viewer.ts'
import type { Backend } from '../backend.ts'
import { writeOptions } from '../idempotency-key.ts'
import { UserParams } from '../schemas/common.ts'
import { DONE, operation } from '../schemas/operation.ts'
import { ProfileChangeSchema, ProfileRef } from '../schemas/user.ts'

const tag = 'users'

const read = operation({
  ...{ id: 'getUser', tag, summary: 'Read a profile', access: 'any' },
  answer: { 200: ProfileRef },
  errors: ['user_not_found']
})

const write = operation({
  ...{ id: 'putUser', tag, summary: 'Create or change a profile', access: 'any' },
  ...{ writes: true, takesBody: true },
  answer: { 200: ProfileRef },
  errors: ['invalid_text']
})

const leave = operation({
  ...{ id: 'deleteMe', tag, summary: 'Delete the own account for good', writes: true },
  answer: DONE,
  errors: ['user_not_found']
})

export function userRoutes(backend: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    const config = { access: 'any' } as const

    app.get('/users/:id', { config, schema: { ...read, params: UserParams } }, async request => {
      const { id } = request.params
      return viewer(backend, request, id).getUser(id)
    })

    app.put(
      '/users/:id',
      { config, schema: { ...write, params: UserParams, body: ProfileChangeSchema } },
      async request => putUser(backend, request, request.params.id, request.body)
    )

    app.delete('/users/me', { schema: leave }, async (request, reply) => {
      await viewer(backend, request).deleteMe(writeOptions(request))
      return reply.code(204).send()
    })
  }
}

/** The server key may write any profile, a user their own; so may the server key in the name of a user. */
function putUser(backend: Backend, request: FastifyRequest, id: string, change: ProfileChange) {
  const { kind, user } = callerOf(request)
  if (kind === 'server' && user === null)
    return backend.admin.putUser(id, change, writeOptions(request))
  if (user === id) return backend.as(user).putUser(id, change, writeOptions(request))
  throw new Problem('forbidden', `The caller is ${user}, who may not change the profile of ${id}.`)
}
