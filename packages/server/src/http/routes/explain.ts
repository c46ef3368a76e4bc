import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../auth/access.ts'
import { viewer } from '../auth/viewer.ts'
import type { Backend } from '../backend.ts'
import { PostParams, ReaderParams } from '../schemas/common.ts'
import { ExplainQuerySchema, ExplanationRef, PostDeliveryRef } from '../schemas/explanation.ts'
import { operation } from '../schemas/operation.ts'
import { possible } from './posts.ts'

const explain = operation({
  ...{ id: 'explainPost', tag: 'admin', access: 'server' },
  summary: 'Why a post is, or is not, in a feed',
  answer: { 200: ExplanationRef },
  errors: ['post_not_found', 'user_not_found']
})

const delivery = operation({
  ...{ id: 'getDelivery', tag: 'posts', access: 'any' },
  summary: 'How far the fan-out of an own post is',
  answer: { 200: PostDeliveryRef },
  errors: ['not_author', 'post_not_found']
})

/** What was recorded of posts, for operators and authors. */
export function explainRoutes(backend: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    app.get(
      '/admin/feeds/:reader/explain',
      {
        config: { access: 'server' },
        schema: { ...explain, params: ReaderParams, querystring: ExplainQuerySchema }
      },
      async ({ params, query }) => backend.admin.explain(params.reader, possible(query.post))
    )

    app.get(
      '/posts/:id/delivery',
      { config: { access: 'any' }, schema: { ...delivery, params: PostParams } },
      async request => {
        const id = possible(request.params.id)
        const { kind, user } = callerOf(request)
        if (kind === 'server' && user === null) return backend.admin.delivery(id)
        return viewer(backend, request).delivery(id)
      }
    )
  }
}
