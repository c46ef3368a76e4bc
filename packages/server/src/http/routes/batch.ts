import type { Batch } from '@fanwise/sdk'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Problem } from '../../domain/errors.ts'
import type { Backend } from '../backend.ts'
import { writeOptions } from '../idempotency-key.ts'
import { BATCH_MAX, BatchResultRef, BatchSchema } from '../schemas/batch.ts'
import { operation } from '../schemas/operation.ts'
import { possible } from './posts.ts'

const about = operation({
  ...{ id: 'batch', tag: 'admin', summary: 'Import users, follows, posts and likes' },
  ...{ access: 'server', writes: true, takesBody: true },
  answer: { 200: BatchResultRef },
  errors: [
    ...(['invalid_text', 'time_out_of_range', 'self_relation', 'account_gone'] as const),
    ...(['post_not_found', 'user_not_found', 'follows_limit', 'clock_behind'] as const)
  ]
})

export function batchRoute(backend: Backend, bodyLimit: number): FastifyPluginAsyncTypebox {
  return async app => {
    app.post(
      '/batch',
      { bodyLimit, config: { access: 'server' }, schema: { ...about, body: BatchSchema } },
      async request => {
        checkSize(request.body)
        checkLikes(request.body)
        return backend.admin.batch(request.body, writeOptions(request))
      }
    )
  }
}

function checkSize({ users = [], follows = [], posts = [], likes = [] }: Batch): void {
  const size = users.length + follows.length + posts.length + likes.length
  if (size <= BATCH_MAX) return
  const message = `The batch has ${size} entries; ${BATCH_MAX} in all are allowed. Send it in parts.`
  throw new Problem('invalid_request', message)
}

/** A like names its post in one of two ways. */
function checkLikes({ likes = [] }: Batch): void {
  for (const [at, { post, author, externalId }] of likes.entries()) {
    if (post !== undefined) possible(post)
    const byOwn = post !== undefined && author === undefined && externalId === undefined
    const byExternal = post === undefined && author !== undefined && externalId !== undefined
    if (byOwn || byExternal) continue
    const message = `body/likes/${at} must have either post, or author and externalId.`
    throw new Problem('invalid_request', message)
  }
}
