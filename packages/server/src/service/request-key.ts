import { createHash } from 'node:crypto'
import type { WriteOptions } from '@fanwise/sdk'
import type { IdempotencyKey } from '../ports/store.ts'

/** The key of a request, bound to what it asks: the operation, its target and its body. */
export function requestKey(
  owner: number,
  options: WriteOptions | undefined,
  ...request: readonly unknown[]
): IdempotencyKey | undefined {
  if (options?.idempotencyKey === undefined) return undefined
  const hash = createHash('sha256').update(JSON.stringify(request)).digest('base64url')
  return { owner, key: options.idempotencyKey, hash }
}
