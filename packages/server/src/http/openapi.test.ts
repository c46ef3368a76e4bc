import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import type * as Sdk from '@fanwise/sdk'
import type { Static } from 'typebox'
import { buildOpenapi } from './openapi.ts'
import type { SettleSchema } from './schemas/admin.ts'
import type { BatchResultSchema, BatchSchema } from './schemas/batch.ts'
import type { NewPostSchema, PostChangeSchema, PostSchema } from './schemas/post.ts'
import type { ProfileChangeSchema, ProfileSchema } from './schemas/user.ts'

const committed = path.resolve(import.meta.dirname, '../../../../docs/openapi.json')

interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  security?: object[]
  requestBody?: { content: Record<string, { example?: unknown; schema: object }> }
  responses: Record<string, { description?: string; content?: Record<string, { schema: object }> }>
}

interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { examples?: unknown[] }> }
}

const document = JSON.parse(JSON.stringify(await buildOpenapi())) as Document

const operations = Object.entries(document.paths).flatMap(([url, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method} ${url}`,
    url,
    operation
  }))
)

test('docs/openapi.json is what the routes say; scripts/openapi.ts writes it', () => {
  assert.deepEqual(JSON.parse(readFileSync(committed, 'utf8')), document)
})

test('every route of the API is in it', () => {
  const names = operations.map(({ name }) => name).sort()
  assert.equal(document.openapi, '3.1.0')
  assert.deepEqual(names, ROUTES.split('\n').sort())
})

test('every operation has a name of its own, a summary, a tag, security and errors', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  assert.equal(new Set(ids).size, operations.length)
  for (const { name, url, operation } of operations) {
    assert.ok(operation.operationId && operation.summary && operation.tags?.length === 1, name)
    if (!url.startsWith('/v1/')) continue
    assert.ok(operation.security?.length, name)
    for (const status of ['400', '401', '403', '500', '503'])
      assert.ok(
        operation.responses[status]?.content?.['application/problem+json'],
        `${name} ${status}`
      )
  }
})

test('every body and every success has an example', () => {
  for (const { name, operation } of operations) {
    const body = operation.requestBody?.content['application/json']
    if (operation.requestBody) assert.ok(body && hasExample(body), name)
    const success = Object.entries(operation.responses).find(([status]) => status < '300')
    for (const media of Object.values(success?.[1].content ?? {}))
      assert.ok(hasExample(media), name)
  }
})

/** In the media, its schema, the schema it refers to, or in what that one's items refer to. */
function hasExample(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if ('example' in value || 'examples' in value) return true
  if ('$ref' in value) {
    const name = String(value.$ref).split('/').at(-1) ?? ''
    const schema = document.components.schemas[name]
    assert.ok(schema, `${value.$ref} leads nowhere`)
    return hasExample(schema)
  }
  return Object.values(value).some(hasExample)
}

/** Each compiles only while what a schema takes and gives fits the types of the SDK. */
type Fits<Given extends Wanted, Wanted> = [Given, Wanted]
export type Fitting = [
  Fits<Static<typeof NewPostSchema>, Sdk.NewPost>,
  Fits<Static<typeof PostChangeSchema>, Sdk.PostChange>,
  Fits<Static<typeof ProfileChangeSchema>, Sdk.ProfileChange>,
  Fits<Static<typeof BatchSchema>, Sdk.Batch>,
  Fits<Static<typeof BatchResultSchema>, Sdk.BatchResult>,
  Fits<Static<typeof PostSchema>, Sdk.Post>,
  Fits<Static<typeof ProfileSchema>, Sdk.Profile>,
  Fits<Static<typeof SettleSchema>, { timeoutMs?: number }>
]

const ROUTES = `delete /v1/admin/dead-records/{position}
delete /v1/admin/dead/{id}
get /v1/admin/dead
get /v1/admin/dead-records
post /v1/admin/dead/{id}/retry
delete /v1/posts/{id}
delete /v1/posts/{id}/hide
delete /v1/posts/{id}/like
delete /v1/users/me
delete /v1/users/{id}/block
delete /v1/users/{id}/follow
delete /v1/users/{id}/followers/{follower}
delete /v1/users/{id}/mute
get /livez
get /metrics
get /readyz
get /v1/admin/feeds/{reader}/explain
get /v1/admin/feeds/{reader}/verify
get /v1/admin/sample
get /v1/admin/stats
get /v1/admin/users
get /v1/blocks
get /v1/feed
get /v1/feed/newer
get /v1/follow-requests
get /v1/mutes
get /v1/posts
get /v1/posts/{id}
get /v1/posts/{id}/delivery
get /v1/users/{id}
get /v1/users/{id}/followers
get /v1/users/{id}/following
get /v1/users/{id}/posts
patch /v1/posts/{id}
post /v1/admin/feeds/{reader}/rebuild
post /v1/admin/feeds/{reader}/repair
post /v1/admin/settle
post /v1/admin/users/{id}/suspend
post /v1/admin/users/{id}/unsuspend
post /v1/batch
post /v1/follow-requests/{id}/accept
post /v1/follow-requests/{id}/reject
post /v1/posts
post /v1/posts/{id}/hide
post /v1/posts/{id}/like
post /v1/users/{id}/block
post /v1/users/{id}/follow
post /v1/users/{id}/mute
put /v1/users/{id}`
