import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../domain/errors.ts'

/** What a route has no schema for is refused rather than overlooked. */
export function refuseUndeclared(app: FastifyInstance): void {
  app.addHook('preValidation', async request => {
    const { body, querystring } = request.routeOptions.schema ?? {}
    if (querystring === undefined) refuseQuery(request)
    if (body === undefined) refuseBody(request)
  })
}

function refuseQuery({ query }: FastifyRequest): void {
  const [name] = Object.keys(query as object)
  if (name === undefined) return
  const shown = JSON.stringify(name.slice(0, 40))
  throw new Problem('invalid_request', `query has the unknown field ${shown}; none is allowed.`)
}

function refuseBody({ body }: FastifyRequest): void {
  if (body === undefined || body === null) return
  if (typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0) return
  throw new Problem('invalid_request', 'The route takes no body.')
}
