import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Backend } from '../backend.ts'
import { writeOptions } from '../idempotency-key.ts'
import { sendPage } from '../page-link.ts'
import {
  RebuiltSchema,
  SampleQuerySchema,
  SampleSchema,
  SettledSchema,
  SettleSchema,
  StatsRef,
  VerifyQuerySchema,
  VerifyReportRef
} from '../schemas/admin.ts'
import { PageQuerySchema, ReaderParams, UserParams } from '../schemas/common.ts'
import { DONE, operation } from '../schemas/operation.ts'
import { ProfilePageRef } from '../schemas/user.ts'

const config = { access: 'server' } as const
const shared = { tag: 'admin', access: 'server' } as const

const users = operation({
  ...{ ...shared, id: 'users', summary: 'All users' },
  answer: { 200: ProfilePageRef },
  errors: ['invalid_cursor']
})
const stats = operation({
  ...{ ...shared, id: 'stats', summary: 'Numbers of the server' },
  answer: { 200: StatsRef }
})
const settle = operation({
  ...{ ...shared, id: 'settle', summary: 'Wait until all events so far are worked off' },
  ...{ takesBody: true, answer: { 200: SettledSchema } }
})
const verify = operation({
  ...{ ...shared, id: 'verifyFeed', summary: 'Compare a feed with the oracle' },
  answer: { 200: VerifyReportRef },
  errors: ['user_not_found']
})
const repair = operation({
  ...{ ...shared, id: 'repairFeed', summary: 'Compare a feed with the oracle, and mend it' },
  answer: { 200: VerifyReportRef },
  errors: ['user_not_found']
})
const sample = operation({
  ...{ ...shared, id: 'sampleReaders', summary: 'Readers at random who were here lately' },
  answer: { 200: SampleSchema }
})
const rebuild = operation({
  ...{ ...shared, id: 'rebuildFeed', summary: 'Build a feed again from the Store' },
  answer: { 200: RebuiltSchema },
  errors: ['user_not_found']
})

export function adminRoutes(backend: Backend): FastifyPluginAsyncTypebox {
  const { admin } = backend
  return async app => {
    const list = { config, schema: { ...users, querystring: PageQuerySchema } }
    app.get('/users', list, async ({ query }, reply) => sendPage(reply, await admin.users(query)))

    app.get('/stats', { config, schema: stats }, async () => admin.stats())

    app.post(
      '/settle',
      { config, schema: { ...settle, body: SettleSchema } },
      async ({ body }) => ({
        settled: await admin.settle(body.timeoutMs)
      })
    )

    const asked = { params: ReaderParams, querystring: VerifyQuerySchema }
    app.get(
      '/feeds/:reader/verify',
      { config, schema: { ...verify, ...asked } },
      async ({ params, query }) => admin.verify(params.reader, query)
    )

    app.post(
      '/feeds/:reader/repair',
      { config, schema: { ...repair, ...asked } },
      async ({ params, query }) => admin.verify(params.reader, { ...query, repair: true })
    )

    app.get(
      '/sample',
      { config, schema: { ...sample, querystring: SampleQuerySchema } },
      async ({ query }) => ({ readers: [...(await admin.sampleReaders(query.limit))] })
    )

    app.post(
      '/feeds/:reader/rebuild',
      { config, schema: { ...rebuild, params: ReaderParams } },
      async ({ params }) => admin.rebuild(params.reader)
    )
  }
}

const suspensions = [
  ['suspend', 'Hide a user and their posts everywhere'],
  ['unsuspend', 'Lift a suspension']
] as const

export function suspensionRoutes({ admin }: Backend): FastifyPluginAsyncTypebox {
  return async app => {
    for (const [act, summary] of suspensions) {
      const about = operation({
        ...{ ...shared, id: `${act}User`, summary, writes: true },
        ...{ answer: DONE, errors: ['user_not_found', 'account_gone'] }
      })
      const options = { config, schema: { ...about, params: UserParams } }
      app.post(`/users/:id/${act}`, options, async (request, reply) => {
        await admin[act](request.params.id, writeOptions(request))
        return reply.code(204).send()
      })
    }
  }
}
