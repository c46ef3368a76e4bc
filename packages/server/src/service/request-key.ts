import { createHash } from 'node:crypto'
import type { WriteOptions } from '@fanwise/sdk'
import { Problem } from '../domain/errors.ts'
import type { User } from '../domain/user.ts'
import type { IdempotencyKey, KeyStore } from '../ports/store.ts'
import { type Directory, mayWrite } from './directory.ts'

/** Owner of the keys of requests that the server key makes. */
export const SERVER = 0

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

interface KeyContext {
  readonly store: Pick<KeyStore, 'isDone'>
}

/**
 * Checks what may have changed since a request was done: who repeats it gets its result all the same.
 * @throws what `check` throws, when the key's request is not done
 */
export async function unlessDone(
  { store }: KeyContext,
  key: IdempotencyKey | undefined,
  check: () => unknown
): Promise<void> {
  try {
    await check()
  } catch (error) {
    const refused = error instanceof Problem && error.status < 500
    if (!refused || key === undefined || !(await store.isDone(key))) throw error
  }
}

/** Who writes, made on first sight, and the key of what they ask. @throws Problem account_suspended, account_gone */
export async function openWrite(
  context: KeyContext & { readonly directory: Directory },
  id: string,
  options: WriteOptions | undefined,
  ...request: readonly unknown[]
): Promise<{ readonly user: User; readonly key: IdempotencyKey | undefined }> {
  const user = await context.directory.ensure(id)
  const key = requestKey(user.number, options, ...request)
  await unlessDone(context, key, () => mayWrite(user))
  return { user, key }
}
