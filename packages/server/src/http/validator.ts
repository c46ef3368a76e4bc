import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Problem } from '../domain/errors.ts'
import { type Complaint, refusals } from './refusals.ts'

const INTEGER = /^(0|[1-9][0-9]{0,8})$/

/** Checks a part of a request against its schema. Nothing is converted, but plain digits in a query to a number. */
export const strictValidator: FastifySchemaCompiler<TSchema> = route => {
  const { schema, httpPart = 'body' } = route
  // What is checked as a body is not converted.
  const check = TypeBoxValidatorCompiler({ ...route, httpPart: 'body' })
  return (given: unknown) => {
    const value = httpPart === 'querystring' ? withNumbers(schema, given) : given
    const { error } = check(value) as { error?: readonly Complaint[] }
    if (error === undefined) return { value }
    const errors = refusals(httpPart, schema, error)
    return { error: new Problem('invalid_request', `${errors[0]}.`, { errors }) }
  }
}

function withNumbers(schema: TSchema, query: unknown): unknown {
  if (typeof query !== 'object' || query === null) return query
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  return Object.fromEntries(
    Object.entries(query).map(([name, text]) => [
      name,
      properties[name]?.type === 'integer' && INTEGER.test(String(text)) && !Array.isArray(text)
        ? Number(text)
        : text
    ])
  )
}
