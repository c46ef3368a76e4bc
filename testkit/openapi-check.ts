// Holds answers of a server to what the OpenAPI document says of them.
import assert from 'node:assert/strict'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { buildOpenapi } from '../packages/server/src/http/openapi.ts'

interface Documented {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Content }> }>>
  components: { schemas: Record<string, unknown> }
}

type Content = Record<string, { schema: unknown }>

export type Check = (method: string, url: string, status: number, body: string) => void

/** Fails when the status is not documented for the route, or the body does not fit its schema. */
export async function openapiCheck(): Promise<Check> {
  const document = JSON.parse(JSON.stringify(await buildOpenapi())) as Documented
  return (method, url, status, body) => {
    const [path = ''] = url.split('?')
    const found = Object.keys(document.paths)
      .filter(pattern => patternOf(pattern).test(path))
      .map(pattern => document.paths[pattern]?.[method.toLowerCase()])
      .find(operation => operation !== undefined)
    assert.ok(found, `${method} ${path} is not documented`)
    const response = found.responses[status]
    assert.ok(response, `${method} ${path} is not documented to answer ${status}: ${body}`)
    const [media] = Object.values(response.content ?? {})
    if (media === undefined) return assert.equal(body, '', `${method} ${path} ${status}`)
    const schema = inlined(media.schema, document) as TSchema
    const check = Compile(schema)
    const value: unknown = JSON.parse(body)
    assert.ok(check.Check(value), `${method} ${path}: ${JSON.stringify(check.Errors(value))}`)
  }
}

/** `{id}` fits any one part. */
function patternOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`)
}

/** The schema with what it refers to in place; none refers to itself. */
function inlined(schema: unknown, document: Documented): unknown {
  if (Array.isArray(schema)) return schema.map(one => inlined(one, document))
  if (typeof schema !== 'object' || schema === null) return schema
  if ('$ref' in schema) {
    const name = String(schema.$ref).split('/').at(-1) ?? ''
    assert.ok(document.components.schemas[name], `${schema.$ref} leads nowhere`)
    return inlined(document.components.schemas[name], document)
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, one]) => [key, inlined(one, document)])
  )
}
