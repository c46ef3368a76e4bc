import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { viewer } from '../auth/viewer.ts'
import type { Backend } from '../backend.ts'
import { sendPageBytes } from '../page-link.ts'
import { PageQuerySchema, UserParams } from '../schemas/common.ts'
import { operation } from '../schemas/operation.ts'
import { PostPageRef } from '../schemas/post.ts'

const home = operation({
  ...{ id: 'feed', tag: 'feed', summary: 'The home feed: own posts and those of followees' },
  answer: { 200: PostPageRef },
  errors: ['invalid_cursor']
})

const author = operation({
  ...{ id: 'userPosts', tag: 'feed', summary: 'The posts of one author' },
  answer: { 200: PostPageRef },
  errors: ['invalid_cursor', 'user_not_found']
})

export function feedRoutes(backend: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    app.get(
      '/feed',
      { schema: { ...home, querystring: PageQuerySchema } },
      async (request, reply) =>
        sendPageBytes(reply, await viewer(backend, request).feedBytes(request.query))
    )

    app.get(
      '/users/:id/posts',
      { schema: { ...author, params: UserParams, querystring: PageQuerySchema } },
      async (request, reply) => {
        const { params, query } = request
        const bytes = await viewer(backend, request).userPostsBytes(params.id, query)
        return sendPageBytes(reply, bytes)
      }
    )
  }
}
