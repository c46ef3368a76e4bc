import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { guard } from '../auth/access.ts'
import { sendCommits } from '../commits.ts'
import { BODY_LIMIT, type HttpOptions } from '../options.ts'
import { refuseUndeclared } from '../undeclared.ts'
import { adminRoutes, suspensionRoutes } from './admin.ts'
import { batchRoute } from './batch.ts'
import { deadRoutes } from './dead.ts'
import { explainRoutes } from './explain.ts'
import { feedRoutes } from './feed.ts'
import { followerRoutes, requestRoutes } from './followers.ts'
import { likeRoutes } from './likes.ts'
import { postRoutes } from './posts.ts'
import { relationLists, relationRoutes } from './relations.ts'
import { userRoutes } from './users.ts'

/** The HTTP API, version 1. */
export function v1(options: HttpOptions): FastifyPluginAsyncTypebox {
  const { backend, auth, bodyLimit = BODY_LIMIT } = options
  return async app => {
    guard(app, auth)
    sendCommits(app)
    refuseUndeclared(app)
    await app.register(postRoutes(backend))
    await app.register(likeRoutes(backend))
    await app.register(feedRoutes(backend))
    await app.register(userRoutes(backend))
    await app.register(relationRoutes(backend))
    await app.register(relationLists(backend))
    await app.register(followerRoutes(backend))
    await app.register(requestRoutes(backend))
    await app.register(explainRoutes(backend))
    await app.register(batchRoute(backend, bodyLimit * 8))
    await app.register(adminRoutes(backend), { prefix: '/admin' })
    await app.register(suspensionRoutes(backend), { prefix: '/admin' })
    await app.register(deadRoutes(backend), { prefix: '/admin' })
  }
}
