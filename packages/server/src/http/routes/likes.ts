import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ErrorCode } from '../../domain/errors.ts'
import { viewer } from '../auth/viewer.ts'
import type { Backend } from '../backend.ts'
import { writeOptions } from '../idempotency-key.ts'
import { PostParams } from '../schemas/common.ts'
import { DONE, operation } from '../schemas/operation.ts'
import { possible } from './posts.ts'

/** What a reader does to a post; each can be repeated. */
const marks = [
  ['POST', 'like', 'like', 'Like a post', []],
  ['DELETE', 'like', 'unlike', 'Take a like back', []],
  ['POST', 'hide', 'hide', 'Hide a post from the own feed', ['rules_limit']],
  ['DELETE', 'hide', 'unhide', 'Show a hidden post again', []]
] as const satisfies (readonly [string, string, string, string, readonly ErrorCode[]])[]

export function likeRoutes(backend: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    for (const [method, word, act, summary, errors] of marks) {
      const about = operation({
        ...{ id: `${act}Post`, tag: 'posts', summary, writes: true },
        answer: DONE,
        errors: ['post_not_found', ...errors]
      })
      app.route({
        ...{ method, url: `/posts/:id/${word}`, schema: { ...about, params: PostParams } },
        handler: async (request, reply) => {
          const id = possible(request.params.id)
          await viewer(backend, request)[act](id, writeOptions(request))
          return reply.code(204).send()
        }
      })
    }
  }
}
