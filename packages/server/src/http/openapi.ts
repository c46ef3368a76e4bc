import type { Backend } from './backend.ts'
import { createHttpServer } from './server.ts'

/** The OpenAPI document of the routes; no backend is asked. */
export async function buildOpenapi(): Promise<object> {
  const app = createHttpServer({
    backend: { admin: {} } as Backend,
    auth: { serverKey: 'none', keys: { secret: 'none' } },
    telemetry: { log() {}, observe() {} },
    production: true
  })
  await app.ready()
  const document = app.swagger()
  await app.close()
  return document
}
