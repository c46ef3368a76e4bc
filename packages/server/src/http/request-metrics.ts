import type { FastifyInstance } from 'fastify'
import type { HttpTelemetry } from './options.ts'

/** How long answers take, by route and class of status: never by address, which has no end of values. */
export function measureRequests(app: FastifyInstance, telemetry: HttpTelemetry): void {
  app.addHook('onResponse', async (request, reply) => {
    telemetry.observe('http_request_duration', reply.elapsedTime, {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: `${Math.floor(reply.statusCode / 100)}xx`
    })
  })
}
