import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ErrorCode } from '../../domain/errors.ts'
import { viewer } from '../auth/viewer.ts'
import type { Backend } from '../backend.ts'
import { writeOptions } from '../idempotency-key.ts'
import { sendPage } from '../page-link.ts'
import { PageQuerySchema, UserParams } from '../schemas/common.ts'
import { DONE, operation } from '../schemas/operation.ts'
import { AuthorPageRef, FollowResultRef } from '../schemas/user.ts'

const tag = 'relations'

/** What a user decides about another; each can be repeated. */
const relations = [
  ['DELETE', 'follow', 'unfollow', 'Stop following a user', []],
  [
    'POST',
    'block',
    'block',
    'Block a user: neither sees the other',
    ['user_not_found', 'self_relation', 'rules_limit']
  ],
  ['DELETE', 'block', 'unblock', 'Lift a block', []],
  [
    'POST',
    'mute',
    'mute',
    'Mute a user: their posts leave the own feed',
    ['user_not_found', 'self_relation', 'rules_limit']
  ],
  ['DELETE', 'mute', 'unmute', 'Lift a mute', []]
] as const satisfies (readonly [string, string, string, string, readonly ErrorCode[]])[]

const follow = operation({
  ...{ id: 'followUser', tag, summary: 'Follow a user, or ask a private one', writes: true },
  answer: { 200: FollowResultRef },
  errors: ['user_not_found', 'self_relation', 'blocked', 'follows_limit', 'requests_limit']
})

export function relationRoutes(backend: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    app.post('/users/:id/follow', { schema: { ...follow, params: UserParams } }, async request =>
      viewer(backend, request).follow(request.params.id, writeOptions(request))
    )
    for (const [method, word, act, summary, errors] of relations) {
      const about = operation({
        ...{ id: `${act}User`, tag, summary, writes: true },
        answer: DONE,
        errors
      })
      app.route({
        ...{ method, url: `/users/:id/${word}`, schema: { ...about, params: UserParams } },
        handler: async (request, reply) => {
          await viewer(backend, request)[act](request.params.id, writeOptions(request))
          return reply.code(204).send()
        }
      })
    }
  }
}

const lists = [
  ['followers', 'Who follows a user'],
  ['following', 'Whom a user follows']
] as const

const ownLists = [
  ['blocks', 'Whom one blocks'],
  ['mutes', 'Whom one mutes']
] as const

export function relationLists(backend: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    for (const [list, summary] of lists) {
      const about = page(list, summary, ['user_not_found'])
      const schema = { ...about, params: UserParams, querystring: PageQuerySchema }
      app.get(`/users/:id/${list}`, { schema }, async (request, reply) =>
        sendPage(reply, await viewer(backend, request)[list](request.params.id, request.query))
      )
    }
    for (const [list, summary] of ownLists) {
      const schema = { ...page(list, summary, []), querystring: PageQuerySchema }
      app.get(`/${list}`, { schema }, async (request, reply) =>
        sendPage(reply, await viewer(backend, request)[list](request.query))
      )
    }
  }
}

function page(id: string, summary: string, errors: readonly ErrorCode[]) {
  const answer = { 200: AuthorPageRef }
  return operation({ id, tag, summary, answer, errors: ['invalid_cursor', ...errors] })
}
