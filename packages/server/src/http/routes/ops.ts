import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Backend } from '../backend.ts'

const tags = ['operations']
const security: Record<string, string[]>[] = []

const live = {
  ...{ operationId: 'livez', summary: 'The process runs', tags, security },
  response: {
    200: Type.Object({ status: Type.Literal('ok') }, { examples: [{ status: 'ok' }] })
  }
}

const readiness = Type.Object(
  {
    status: Type.Enum(['ok', 'unavailable']),
    dependencies: Type.Record(Type.String(), Type.String(), {
      description: "Each dependency by name: 'ok', or what is wrong with it."
    })
  },
  { description: 'The state of each dependency.' }
)

const ready = {
  ...{ operationId: 'readyz', summary: 'All dependencies answer', tags, security },
  response: {
    200: { ...readiness, examples: [{ status: 'ok', dependencies: { store: 'ok' } }] },
    503: { ...readiness, examples: [{ status: 'unavailable', dependencies: { store: 'timeout' } }] }
  }
}

const metrics = {
  ...{ operationId: 'metrics', summary: 'Numbers for Prometheus', tags, security },
  produces: ['text/plain'],
  response: {
    200: Type.String({ description: 'Prometheus text.', examples: ['fanwise_posts_total 7'] })
  }
}

export function opsRoutes(backend: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    app.get('/livez', { schema: live }, async () => ({ status: 'ok' as const }))

    app.get('/readyz', { schema: ready as object }, async (_, reply) => {
      const dependencies = await health(backend)
      const ok = Object.values(dependencies).every(state => state === 'ok')
      if (!ok) reply.code(503).header('retry-after', '1')
      return { status: ok ? 'ok' : 'unavailable', dependencies }
    })

    app.get('/metrics', { schema: metrics }, async (_, reply) => {
      const { contentType, body } = await backend.metrics()
      return reply.type(contentType).send(body)
    })
  }
}

/** A check that fails is itself an answer. */
async function health(backend: Backend): Promise<Readonly<Record<string, string>>> {
  try {
    return await backend.health()
  } catch {
    return { health: 'the check failed' }
  }
}
