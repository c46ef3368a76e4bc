import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Problem } from '../domain/errors.ts'
import { refusals } from './refusals.ts'

const INTEGER = /^(0|[1-9][0-9]{0,8})$/

/** Checks a part of a request against its schema. Nothing is converted, but plain digits in a query to a number. */
export const strictValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const check = Compile(schema)
  return (given: unknown) => {
    const value = httpPart === 'querystring' ? withNumbers(schema, given) : given
    if (check.Check(value)) return { value }
    const errors = refusals(httpPart, schema, check.Errors(value))
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
