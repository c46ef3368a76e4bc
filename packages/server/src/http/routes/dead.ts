import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Backend } from '../backend.ts'
import { sendPage } from '../page-link.ts'
import { PageQuerySchema } from '../schemas/common.ts'
import {
  DeadEventParams,
  DeadPageRef,
  DeadRecordParams,
  DeadRecordsQuerySchema,
  DeadRecordsSchema
} from '../schemas/dead.ts'
import { DONE, operation } from '../schemas/operation.ts'

const config = { access: 'server' } as const
const shared = { tag: 'admin', access: 'server' } as const

const list = operation({
  ...{ ...shared, id: 'deadEvents', summary: 'Events that were given up' },
  answer: { 200: DeadPageRef },
  errors: ['invalid_cursor']
})
const retry = operation({
  ...{ ...shared, id: 'retryDead', summary: 'Publish an event that was given up once more' },
  answer: DONE,
  errors: ['event_not_found']
})
const drop = operation({
  ...{ ...shared, id: 'dropDead', summary: 'Forget an event that was given up' },
  answer: DONE,
  errors: ['event_not_found']
})
const records = operation({
  ...{ ...shared, id: 'deadRecords', summary: 'Records of the event log that are no events' },
  answer: { 200: DeadRecordsSchema }
})
const dropRecords = operation({
  ...{ ...shared, id: 'dropDeadRecords', summary: 'Forget such records up to a position' },
  answer: DONE
})

/** What was given up. */
export function deadRoutes({ admin }: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    app.get(
      '/dead',
      { config, schema: { ...list, querystring: PageQuerySchema } },
      async ({ query }, reply) => sendPage(reply, await admin.deadEvents(query))
    )
    const retried = { config, schema: { ...retry, params: DeadEventParams } }
    app.post('/dead/:id/retry', retried, async ({ params }, reply) => {
      await admin.retryDead(params.id)
      return reply.code(204).send()
    })
    const dropped = { config, schema: { ...drop, params: DeadEventParams } }
    app.delete('/dead/:id', dropped, async ({ params }, reply) => {
      await admin.dropDead(params.id)
      return reply.code(204).send()
    })
    app.get(
      '/dead-records',
      { config, schema: { ...records, querystring: DeadRecordsQuerySchema } },
      async ({ query }) => ({ items: await admin.deadRecords(query.limit) })
    )
    const forgotten = { config, schema: { ...dropRecords, params: DeadRecordParams } }
    app.delete('/dead-records/:position', forgotten, async ({ params }, reply) => {
      await admin.dropDeadRecords(params.position)
      return reply.code(204).send()
    })
  }
}
