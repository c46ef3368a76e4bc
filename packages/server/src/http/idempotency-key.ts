import type { WriteOptions } from '@fanwise/sdk'
import type { FastifyRequest } from 'fastify'
import { Problem } from '../domain/errors.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/** The options of a write, from its headers. @throws Problem invalid_idempotency_key */
export function writeOptions({ headers }: FastifyRequest): WriteOptions {
  const key = headers['idempotency-key']
  if (key === undefined) return {}
  if (typeof key !== 'string' || !KEY.test(key)) throw new Problem('invalid_idempotency_key')
  return { idempotencyKey: key }
}
