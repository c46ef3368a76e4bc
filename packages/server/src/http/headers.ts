import type { FastifyInstance, FastifyReply } from 'fastify'
import { Problem } from '../domain/errors.ts'
import { checkExpectation } from './expectations.ts'

/** Headers of every answer; what /v1 answers is for one caller alone. */
export function setHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    baseHeaders(reply)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new Problem('invalid_request', 'The header Host is missing.')
    checkExpectation(request.raw)
  })
}

export function baseHeaders(reply: FastifyReply): void {
  reply.header('x-request-id', reply.request.id)
  reply.header('x-content-type-options', 'nosniff')
  if (isPublic(reply.request.url)) return
  reply.header('cache-control', 'private, no-store')
  reply.header('vary', 'Authorization, Fanwise-User')
}

/** The few things that are the same for everybody; whatever is not known to be is private. */
function isPublic(url: string): boolean {
  return (
    url === '/' || url === '/openapi.json' || url.startsWith('/docs') || /^\/[\w-]+\.\w+$/.test(url)
  )
}
