import type { ProblemDetails } from '@fanwise/sdk'
import Type from 'typebox'
import { ERRORS } from '../../domain/errors.ts'
import { strict } from './common.ts'

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ description: '`urn:fanwise:error:` and the code.' }),
    title: Type.String({ description: 'What the code means.' }),
    status: Type.Integer(),
    code: Type.Enum(Object.keys(ERRORS)),
    message: Type.String({ description: 'Names the offending value and the way out.' }),
    requestId: Type.String({ description: 'Finds the request in the log of the server.' }),
    errors: Type.Optional(
      Type.Array(Type.String(), { description: 'Where the request does not fit its schema.' })
    )
  },
  { $id: 'Problem', ...strict, description: 'An error (RFC 9457).' }
)

export const ProblemRef = Type.Unsafe<ProblemDetails>({ $ref: 'Problem#' })
