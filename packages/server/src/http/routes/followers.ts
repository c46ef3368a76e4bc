import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { viewer } from '../auth/viewer.ts'
import type { Backend } from '../backend.ts'
import { writeOptions } from '../idempotency-key.ts'
import { sendPage } from '../page-link.ts'
import { FollowerParams, pageFields, strict, UserParams } from '../schemas/common.ts'
import { DONE, operation } from '../schemas/operation.ts'
import { AuthorPageRef } from '../schemas/user.ts'

const tag = 'relations'

const remove = operation({
  ...{ id: 'removeFollower', tag, summary: "End somebody's follow of oneself", writes: true },
  answer: DONE
})

const list = operation({
  ...{ id: 'followRequests', tag, summary: 'Who asks to follow, or whom one asks' },
  answer: { 200: AuthorPageRef },
  errors: ['invalid_cursor']
})

const direction = Type.Union([Type.Literal('incoming'), Type.Literal('outgoing')], {
  description: '`incoming` if absent: who asks to follow oneself; `outgoing`: whom one asks.',
  examples: ['incoming']
})

const RequestsQuerySchema = Type.Object(
  { ...pageFields, direction: Type.Optional(direction) },
  strict
)

export function followerRoutes(backend: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    const schema = { ...remove, params: FollowerParams }
    app.delete('/users/:id/followers/:follower', { schema }, async (request, reply) => {
      const { id, follower } = request.params
      await viewer(backend, request).removeFollower(id, follower, writeOptions(request))
      return reply.code(204).send()
    })
  }
}

const decisions = [
  ['accept', 'acceptRequest', 'Make who asks a follower', ['self_relation', 'request_not_found']],
  ['reject', 'rejectRequest', 'Reject a request to follow', []]
] as const

export function requestRoutes(backend: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    const schema = { ...list, querystring: RequestsQuerySchema }
    app.get('/follow-requests', { schema }, async (request, reply) =>
      sendPage(reply, await viewer(backend, request).followRequests(request.query))
    )
    for (const [word, act, summary, errors] of decisions) {
      const about = operation({
        ...{ id: act, tag, summary, writes: true },
        answer: DONE,
        errors
      })
      const params = { schema: { ...about, params: UserParams } }
      app.post(`/follow-requests/:id/${word}`, params, async (request, reply) => {
        await viewer(backend, request)[act](request.params.id, writeOptions(request))
        return reply.code(204).send()
      })
    }
  }
}
