import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Backend } from '../backend.ts'
import { writeOptions } from '../idempotency-key.ts'
import { BatchResultRef, BatchSchema } from '../schemas/batch.ts'
import { operation } from '../schemas/operation.ts'

const about = operation({
  ...{ id: 'batch', tag: 'admin', summary: 'Import users, follows, posts and likes' },
  ...{ access: 'server', writes: true, takesBody: true },
  answer: { 200: BatchResultRef },
  errors: [
    ...(['invalid_text', 'time_out_of_range', 'self_relation', 'account_suspended'] as const),
    ...(['account_gone', 'post_not_found', 'clock_behind'] as const)
  ]
})

export function batchRoute(backend: Backend, bodyLimit: number): FastifyPluginAsyncTypebox {
  return async app => {
    app.post(
      '/batch',
      { bodyLimit, config: { access: 'server' }, schema: { ...about, body: BatchSchema } },
      async request => backend.admin.batch(request.body, writeOptions(request))
    )
  }
}
