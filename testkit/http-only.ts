// The HTTP layer alone, over a backend of which each method does the same.
import type { TestContext } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type { AuthOptions } from '../packages/server/src/http/auth/auth-options.ts'
import { signToken } from '../packages/server/src/http/auth/sign-token.ts'
import type { Backend } from '../packages/server/src/http/backend.ts'
import type { HttpOptions } from '../packages/server/src/http/options.ts'
import { createHttpServer } from '../packages/server/src/http/server.ts'

export const SECRET = 'a secret for tests that is long enough'
export const SERVER_KEY = 'a server key for tests that is long enough'

/** What the backend was asked: the user (null: the server key), the method and its arguments. */
export interface Call {
  user: string | null
  method: string
  args: unknown[]
}

export interface HttpOnly {
  app: FastifyInstance
  calls: Call[]
  /** What was logged. */
  logged: { level: string; message: string; fields: unknown }[]
  observed: { name: string; labels: unknown }[]
}

export interface HttpOnlyOptions extends Partial<Omit<HttpOptions, 'auth'>> {
  auth?: Partial<AuthOptions>
  /** What each method of the backend does. */
  answer?: (call: Call) => unknown
}

export function httpOnly(t: TestContext, options: HttpOnlyOptions = {}): HttpOnly {
  const { answer = () => undefined, auth, ...rest } = options
  const calls: Call[] = []
  const one = (user: string | null) => methods(user, calls, answer)
  const backend = {
    as: one,
    admin: one(null),
    health: async () => ({ store: 'ok' }),
    metrics: async () => ({ contentType: 'text/plain', body: 'up 1\n' })
  } as unknown as Backend
  const logged: HttpOnly['logged'] = []
  const observed: HttpOnly['observed'] = []
  const app = createHttpServer({
    backend,
    auth: { serverKey: SERVER_KEY, keys: { secret: SECRET }, ...auth },
    production: false,
    telemetry: {
      log: (level, message, fields) => logged.push({ level, message, fields }),
      observe: (name, _, labels) => observed.push({ name, labels })
    },
    ...rest
  })
  t.after(() => app.close())
  return { app, calls, logged, observed }
}

function methods(user: string | null, calls: Call[], answer: (call: Call) => unknown): object {
  const call =
    (method: string) =>
    async (...args: unknown[]) => {
      const asked = { user, method, args }
      calls.push(asked)
      return answer(asked)
    }
  return new Proxy({}, { get: (_, method) => call(String(method)) })
}

export async function bearer(user: string): Promise<{ authorization: string }> {
  return { authorization: `Bearer ${await signToken({ secret: SECRET }, user, '60 s')}` }
}

export const asServer = { authorization: `Bearer ${SERVER_KEY}` }
