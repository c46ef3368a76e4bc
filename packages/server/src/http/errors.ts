import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../domain/errors.ts'
import { KnownRoutes } from './known-routes.ts'
import type { HttpTelemetry } from './options.ts'
import { PROBLEM_TYPE, problemDetails, problemHeaders, toProblem } from './problem-details.ts'
import { requestId } from './request-id.ts'

/** Whatever goes wrong while a request is answered is answered as a problem. */
export function answerProblems(app: FastifyInstance, telemetry: HttpTelemetry): void {
  const routes = new KnownRoutes(app)
  app.setErrorHandler((error, request, reply) => sendProblem(telemetry, error, request, reply))
  app.setNotFoundHandler(async ({ method, url }) => {
    const allow = routes.methodsOf(url)
    if (allow.length === 0) throw new Problem('route_not_found')
    const message = `The route does not know ${method}. It knows ${allow.join(', ')}.`
    throw new Problem('method_not_allowed', message, { allow: allow.join(', ') })
  })
}

export function sendProblem(
  telemetry: HttpTelemetry,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply
): FastifyReply {
  const problem = toProblem(error)
  logProblem(telemetry, problem, request)
  return reply
    .code(problem.status)
    .headers(problemHeaders(problem))
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problemDetails(problem, request.id)))
}

/** What the operator has to know; clients' own mistakes are only counted. */
function logProblem(telemetry: HttpTelemetry, problem: Problem, request: FastifyRequest): void {
  if (problem.status < 500) return
  const route = request.routeOptions.url ?? 'none'
  telemetry.log(problem.code === 'internal' ? 'error' : 'warn', 'request failed', {
    ...{ requestId: request.id, method: request.method, route, code: problem.code },
    error: problem.cause ?? problem
  })
}

/** What Node itself could not read as a request: there is a socket, but nothing to reply to. */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = new Problem('invalid_request', malformed(error.code))
  const body = JSON.stringify(problemDetails(problem, requestId({ headers: {} })))
  const head = [
    'HTTP/1.1 400 Bad Request',
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: private, no-store',
    'connection: close'
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function malformed(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The address and headers are larger than 16 KB.'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request did not arrive in time.'
  return 'The request is not valid HTTP.'
}
