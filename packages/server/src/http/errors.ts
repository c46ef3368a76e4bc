import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../domain/errors.ts'
import { drain, isWhole } from './drain.ts'
import { KnownRoutes } from './known-routes.ts'
import type { HttpTelemetry } from './options.ts'
import { PROBLEM_TYPE, problemDetails, problemHeaders, toProblem } from './problem-details.ts'

/** Whatever goes wrong while a request is answered is answered as a problem. */
export function answerProblems(app: FastifyInstance, telemetry: HttpTelemetry): void {
  const routes = new KnownRoutes(app)
  app.setErrorHandler(async (error, request, reply) => {
    // Whether a connection goes on is decided by what is left of the body, not by the error.
    const whole = await drain(request.raw)
    if (whole) reply.removeHeader('connection')
    else reply.header('connection', 'close')
    return sendProblem(telemetry, error, request, reply)
  })
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
  const problem = isHangUp(error, request) ? hungUp(error) : toProblem(error)
  logProblem(telemetry, problem, request)
  return reply
    .code(problem.status)
    .headers(problemHeaders(problem))
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problemDetails(problem, request.id)))
}

/** What the operator has to know; clients' own mistakes are only counted. */
function logProblem(telemetry: HttpTelemetry, problem: Problem, request: FastifyRequest): void {
  const level = levelOf(problem)
  if (level === undefined) return
  const route = request.routeOptions.url ?? 'none'
  telemetry.log(level, 'request failed', {
    ...{ requestId: request.id, method: request.method, route, code: problem.code },
    error: problem.cause ?? problem
  })
}

function levelOf(problem: Problem): 'debug' | 'warn' | 'error' | undefined {
  if (problem.code === 'internal') return 'error'
  if (problem.status >= 500) return 'warn'
  return problem.details.hungUp === true ? 'debug' : undefined
}

/** The client closed the connection before its body had arrived. */
function isHangUp(error: unknown, { raw }: FastifyRequest): boolean {
  return !isWhole(raw) && error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
}

/** Nobody reads the answer; it counts among the clients' mistakes. */
function hungUp(cause: unknown): Problem {
  const message = 'The connection was closed before the body had arrived.'
  return new Problem('invalid_request', message, { hungUp: true }, { cause })
}
