import type { AuthOptions } from './auth/auth-options.ts'
import type { Backend } from './backend.ts'

/** What the HTTP server tells the operator: a port's Telemetry does. */
export interface HttpTelemetry {
  log(
    level: 'debug' | 'warn' | 'error',
    message: string,
    fields: Readonly<Record<string, unknown>>
  ): void
  /** A duration in ms. */
  observe(name: string, ms: number, labels: Readonly<Record<string, string>>): void
}

export interface HttpOptions {
  readonly backend: Backend
  /** False: only /livez, /readyz and /metrics, for a process that serves nobody. */
  readonly api?: boolean | undefined
  readonly auth: AuthOptions
  readonly telemetry: HttpTelemetry
  /** Refuses what is for development only. */
  readonly production: boolean
  /** Bytes of a body, 2 MiB if absent; a batch may have eight times as many. */
  readonly bodyLimit?: number | undefined
  /** Origins whose pages may call the API, such as `https://app.example.com`; none if absent. */
  readonly corsOrigins?: readonly string[] | undefined
  /** Registers the routes for development; refused in production. */
  readonly dev?: DevOptions | undefined
}

export interface DevOptions {
  /** The folder of the page served at `/`: index.html and its .css and .js files. */
  readonly pageFolder: string
}

export const BODY_LIMIT = 2 * 1024 * 1024
