import type { FastifyInstance } from 'fastify'

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Fanwise-Min-Commit, Idempotency-Key, X-Request-Id',
  'access-control-max-age': '600'
}

const EXPOSED = 'Fanwise-Commit, Link, Location, Retry-After, X-Request-Id'

/** Lets pages of the listed origins call the API with a token; cookies are never used. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers
    reply.header('vary', `${reply.getHeader('vary') ?? 'Authorization'}, Origin`)
    if (origin === undefined || !origins.includes(origin)) return
    reply.header('access-control-allow-origin', origin)
    reply.header('access-control-expose-headers', EXPOSED)
    if (request.method !== 'OPTIONS') return
    await reply.headers(PREFLIGHT).code(204).send()
  })
}
