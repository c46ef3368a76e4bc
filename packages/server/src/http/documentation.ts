import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { ERRORS } from '../domain/errors.ts'
import { StatsSchema, VerifyReportSchema } from './schemas/admin.ts'
import { BatchResultSchema } from './schemas/batch.ts'
import { ExplanationSchema, PostDeliverySchema } from './schemas/explanation.ts'
import { NewerCountSchema } from './schemas/feed.ts'
import { FoundPostsSchema, PostPageSchema, PostSchema } from './schemas/post.ts'
import { ProblemSchema } from './schemas/problem.ts'
import {
  AuthorPageSchema,
  AuthorSchema,
  FollowResultSchema,
  ProfilePageSchema,
  ProfileSchema
} from './schemas/user.ts'

const named = [
  ...[AuthorSchema, ProfileSchema, AuthorPageSchema, ProfilePageSchema, PostSchema, PostPageSchema],
  FoundPostsSchema,
  ...[
    FollowResultSchema,
    NewerCountSchema,
    BatchResultSchema,
    VerifyReportSchema,
    StatsSchema,
    ProblemSchema,
    PostDeliverySchema,
    ExplanationSchema
  ]
]

const tags = [
  { name: 'posts', description: 'Publish, edit, like and hide posts.' },
  { name: 'feed', description: 'Pages of posts, newest first, without end.' },
  { name: 'users', description: 'Profiles.' },
  { name: 'relations', description: 'Follow, accept, block and mute; all can be repeated.' },
  { name: 'admin', description: "For the app's backend, with the server key." },
  { name: 'operations', description: 'For whoever runs the server.' }
]

const bearer = { type: 'http', scheme: 'bearer' } as const

const openapi = {
  openapi: '3.1.0',
  info: {
    title: 'Fanwise',
    version: '1',
    description: `The activity-feed server. Every error is a Problem with one of these codes; docs/errors.md of the source has the way out of each.\n\n${errorTable()}`,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' }
  },
  tags,
  components: {
    securitySchemes: {
      userToken: { ...bearer, bearerFormat: 'JWT', description: '`sub` is the user id.' },
      serverKey: {
        ...bearer,
        description: 'The server key; it acts for a user by the header `Fanwise-User`.'
      }
    }
  }
}

function errorTable(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, [status, meaning]]) => `| \`${code}\` | ${status} | ${meaning} |`
  )
  return ['| code | status | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Its own files and this server's API; works over plain HTTP too. */
const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'",
  "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
].join('; ')

/** Collects what the routes that follow tell of themselves. */
export function collectDocumentation(app: FastifyInstance): void {
  for (const schema of named) app.addSchema(schema)
  app.register(swagger, {
    openapi,
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, at) => String($id ?? `def-${at}`)
    }
  })
}

/** Serves it at /openapi.json and, for people, at /docs. */
export function serveDocumentation(app: FastifyInstance): void {
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  const theme = { title: 'Fanwise API' }
  app.register(swaggerUi, { routePrefix: '/docs', staticCSP: POLICY, theme })
}
