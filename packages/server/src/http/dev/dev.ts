import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { Problem } from '../../domain/errors.ts'
import { signToken } from '../auth/sign-token.ts'
import type { DevOptions, HttpOptions } from '../options.ts'
import { sendPage } from '../page-link.ts'
import { PageQuerySchema, strict, UserIdSchema } from '../schemas/common.ts'
import { pageRoutes } from './page-routes.ts'

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?$/i

const hide = true
const body = Type.Object({ user: UserIdSchema }, strict)

/** For the demo page: whoever sits at this machine may be anybody. */
export function devRoutes(options: HttpOptions, dev: DevOptions): FastifyPluginAsyncTypebox {
  return async app => {
    await app.register(pageRoutes(dev.pageFolder))
    await app.register(demoRoutes(options), { prefix: '/dev' })
  }
}

function demoRoutes({ backend, auth }: HttpOptions): FastifyPluginAsyncTypebox {
  return async app => {
    app.addHook('onRequest', async request => refuseStrangers(request))
    const list = { schema: { hide, querystring: PageQuerySchema } }
    app.get('/people', list, async ({ query }, reply) =>
      sendPage(reply, await backend.admin.users(query))
    )
    const { keys, issuer, audience } = auth
    if (!('secret' in keys)) return
    app.post('/token', { schema: { hide, body } }, async request => ({
      token: await signToken({ secret: keys.secret, issuer, audience }, request.body.user)
    }))
  }
}

/** The name of the host is checked too: a page elsewhere may have a name that leads here. */
function refuseStrangers({ ip, headers }: FastifyRequest): void {
  if (LOOPBACK.has(ip) && LOCAL_HOST.test(headers.host ?? '') && isOwnPage(headers)) return
  throw new Problem('forbidden', 'Routes under /dev answer only this machine, as localhost.')
}

/** Asked by the page served here, by no page, or by a person's address bar; never by a page of another origin. */
function isOwnPage({ host, origin, 'sec-fetch-site': site }: FastifyRequest['headers']): boolean {
  if (origin !== undefined && origin !== `http://${host}`) return false
  return site === undefined || site === 'same-origin' || site === 'none'
}
