// A whole server in the test's process, on a database of its own.
import type { TestContext } from 'node:test'
import { FanwiseAdmin, FanwiseClient } from '@fanwise/sdk'
import { type App, startApp } from '../packages/server/src/app.ts'
import { readConfig, type SETTINGS } from '../packages/server/src/config.ts'
import type { Limits } from '../packages/server/src/domain/limits.ts'
import { signToken } from '../packages/server/src/http/auth/sign-token.ts'
import { testDatabase } from './postgres.ts'

export const SECRET = 'a-secret-for-tests-that-is-long-enough'
export const SERVER_KEY = 'a-server-key-for-tests-that-is-long-enough'

export interface ServerOptions {
  /** By their key in config.ts. */
  settings?: Partial<Record<keyof typeof SETTINGS, string>>
  /** Limits that no setting sets. */
  limits?: Partial<Limits>
  /** The routes and the page for development. */
  dev?: boolean
  /** Another server's database, to start again on it. */
  databaseUrl?: string
}

export interface TestServer extends AsyncDisposable {
  url: string
  secret: string
  serverKey: string
  databaseUrl: string
  app: App
  /** A token for a user, valid for an hour. */
  token(user: string): Promise<string>
  client(user: string): FanwiseClient
  admin: FanwiseAdmin
}

/** Listens on a free port of 127.0.0.1; stopped when the test ends. */
export async function startServer(
  t: TestContext,
  options: ServerOptions = {}
): Promise<TestServer> {
  const databaseUrl = options.databaseUrl ?? (await testDatabase(t))
  const config = readConfig(
    {
      port: '0',
      logLevel: 'silent',
      poolMax: '8',
      secret: SECRET,
      serverKey: SERVER_KEY,
      databaseUrl,
      ...options.settings
    },
    {}
  )
  const limits = { ...config.limits, ...options.limits }
  const app = await startApp({ ...config, limits }, { dev: options.dev === true })
  let stopped = false
  const stop = async () => {
    if (!stopped) await app[Symbol.asyncDispose]()
    stopped = true
  }
  t.after(stop)
  const url = app.url ?? ''
  const token = (user: string) => signToken({ secret: SECRET }, user, '1h')
  return {
    url,
    secret: SECRET,
    serverKey: SERVER_KEY,
    databaseUrl,
    app,
    token,
    client: user => new FanwiseClient({ url, token: () => token(user) }),
    admin: new FanwiseAdmin({ url, serverKey: SERVER_KEY, timeoutMs: 60_000 }),
    [Symbol.asyncDispose]: stop
  }
}
