import type { TSchema } from 'typebox'

/** A complaint of the validator, as far as it is used here. */
export interface Complaint {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

const PARTS: Record<string, string> = { querystring: 'query', params: 'params', body: 'body' }

/** What is wrong with a part of a request, for people: each names the field and what is allowed there. */
export function refusals(
  part: string,
  schema: TSchema,
  complaints: readonly Complaint[]
): readonly string[] {
  const own = complaints.filter(({ keyword }) => keyword !== 'boolean' && keyword !== 'anyOf')
  const told = own.map(one => `${PARTS[part] ?? part}${one.instancePath} ${reason(schema, one)}`)
  return told.length === 0 ? [`${PARTS[part] ?? part} does not fit its schema`] : [...new Set(told)]
}

function reason(schema: TSchema, { keyword, schemaPath, params, message }: Complaint): string {
  const options = unionOf(schema, schemaPath)
  if (options !== undefined) return `must be ${options.join(' or ')}`
  if (keyword !== 'additionalProperties') return message
  const { additionalProperties = [] } = params as { additionalProperties?: readonly string[] }
  const unknown = additionalProperties.map(shown).join(', ')
  const known = Object.keys(properties(at(schema, schemaPath.split('/').slice(1))))
  return `has the unknown field ${unknown}; ${known.length === 0 ? 'none is' : `known are ${known.join(', ')}, and no other is`} allowed`
}

/** Names of fields come from outside: a long one is cut. */
function shown(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)
}

/** The types of the union to which a complaint belongs, such as string and null. */
function unionOf(schema: TSchema, schemaPath: string): string[] | undefined {
  const [before, after] = schemaPath.split('/anyOf/')
  if (before === undefined || after === undefined) return undefined
  const { anyOf = [] } = at(schema, before.split('/').slice(1)) as { anyOf?: { type?: string }[] }
  return anyOf.map(({ type = 'another value' }) => type)
}

function properties(schema: unknown): object {
  const { properties: inside = {} } = (schema ?? {}) as { properties?: object }
  return inside
}

/** The part of a schema that a path of keys leads to. */
function at(schema: unknown, keys: readonly string[]): object {
  let here: unknown = schema
  for (const key of keys) here = (here as Record<string, unknown> | undefined)?.[key]
  return typeof here === 'object' && here !== null ? here : {}
}
