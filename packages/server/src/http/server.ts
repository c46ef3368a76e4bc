import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import { parseBodies } from './body-parser.ts'
import { allowOrigins } from './cors.ts'
import { devRoutes } from './dev/dev.ts'
import { collectDocumentation, serveDocumentation } from './documentation.ts'
import { answerProblems, sendProblem } from './errors.ts'
import { meetExpectations } from './expectations.ts'
import { closeGracefully } from './graceful-close.ts'
import { baseHeaders, setHeaders } from './headers.ts'
import { malformedAnswerer } from './malformed.ts'
import { refuseEncodings } from './media-type.ts'
import { OpenRequests } from './open-requests.ts'
import { BODY_LIMIT, type HttpOptions } from './options.ts'
import { requestId } from './request-id.ts'
import { measureRequests } from './request-metrics.ts'
import { opsRoutes } from './routes/ops.ts'
import { v1 } from './routes/v1.ts'
import { strictValidator } from './validator.ts'

const REQUEST_TIMEOUT_MS = 60_000

/** The HTTP server over a backend; who calls it lets it listen, and closes it. */
export function createHttpServer(options: HttpOptions): FastifyInstance {
  if (options.production && options.dev !== undefined)
    throw new RangeError('Routes for development are not served in production.')
  const app = bareServer(options)
  setHeaders(app)
  allowOrigins(app, options.corsOrigins ?? [])
  measureRequests(app, options.telemetry)
  closeGracefully(app)
  refuseEncodings(app)
  parseBodies(app)
  answerProblems(app, options.telemetry)
  collectDocumentation(app)
  app.register(opsRoutes(options.backend))
  if (options.api === false) return app
  app.register(v1(options), { prefix: '/v1' })
  if (options.dev !== undefined) app.register(devRoutes(options, options.dev))
  app.register(async inside => serveDocumentation(inside))
  return app
}

function bareServer({ telemetry, bodyLimit = BODY_LIMIT }: HttpOptions): FastifyInstance {
  const requests = new OpenRequests()
  const app = Fastify({
    bodyLimit,
    logger: false,
    genReqId: requestId,
    requestIdHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    http: { requireHostHeader: false },
    clientErrorHandler: malformedAnswerer(requests),
    frameworkErrors: (error, request, reply) => {
      baseHeaders(reply)
      sendProblem(telemetry, error, request, reply)
    }
  })
  requests.watch(app.server)
  meetExpectations(app.server)
  app.setValidatorCompiler(strictValidator)
  app.setSerializerCompiler(() => data => JSON.stringify(data))
  return app.withTypeProvider<TypeBoxTypeProvider>() as unknown as FastifyInstance
}
