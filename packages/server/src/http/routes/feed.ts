import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { viewer } from '../auth/viewer.ts'
import type { Backend } from '../backend.ts'
import { sendPageBytes } from '../page-link.ts'
import { PageQuerySchema, UserParams } from '../schemas/common.ts'
import { FeedQuerySchema, knownIds, NewerCountRef, NewerQuerySchema } from '../schemas/feed.ts'
import { operation } from '../schemas/operation.ts'
import { PostPageRef } from '../schemas/post.ts'

const tag = 'feed'

const home = operation({
  ...{ id: 'feed', tag, summary: 'The home feed: own posts and those of followees' },
  answer: { 200: PostPageRef },
  errors: ['invalid_cursor', 'invalid_bounds', 'snapshot_gone']
})

const newer = operation({
  ...{ id: 'newer', tag, summary: 'How many posts of the home feed are newer than one' },
  answer: { 200: NewerCountRef },
  errors: ['invalid_cursor']
})

const author = operation({
  ...{ id: 'userPosts', tag, summary: 'The posts of one author' },
  answer: { 200: PostPageRef },
  errors: ['invalid_cursor', 'user_not_found', 'private_account']
})

export function feedRoutes(backend: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    app.get(
      '/feed',
      { schema: { ...home, querystring: FeedQuerySchema } },
      async (request, reply) => {
        const { known, ...query } = request.query
        const bytes = await viewer(backend, request).feedBytes({ ...query, ...knownIds(known) })
        return sendPageBytes(reply, bytes)
      }
    )

    app.get('/feed/newer', { schema: { ...newer, querystring: NewerQuerySchema } }, request => {
      const { after, known } = request.query
      return viewer(backend, request).newer({ after, ...knownIds(known) })
    })

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
