import type { AdminApi, Batch, BatchResult, WriteOptions } from '@fanwise/sdk'
import { Problem } from '../domain/errors.ts'
import { createKeyedLock } from '../lib/keyed-lock.ts'
import type { IdempotencyKey } from '../ports/store.ts'
import type { ImportBatch } from '../publish/check-batch.ts'
import { checkImport, importBatch, storeBatch } from '../publish/import-batch.ts'
import type { ServiceContext } from './context.ts'
import { requestKey, SERVER, unlessDone } from './request-key.ts'

/** Owner of the keys of what batches consist of: no request has such a key. */
const STEPS = -1

/**
 * A batch is several transactions, so its key is taken before the first and keeps the result after the last. The posts
 * are a transaction under a key of their own: they are made once, however often the batch is cut off and repeated, or
 * goes on in another process. Here, requests with one key wait for each other.
 */
export function createBatch(
  context: Pick<ServiceContext, 'store' | 'feeds' | 'clock' | 'telemetry' | 'limits'>
): AdminApi['batch'] {
  const lock = createKeyedLock()
  async function once(batch: ImportBatch, key: IdempotencyKey): Promise<BatchResult> {
    const { opened, outcome } = await context.store.openKey(key)
    if (outcome !== null) return outcome.value as BatchResult
    const posts = { owner: STEPS, key: `${opened} ${key.key}`, hash: key.hash }
    return context.store.closeKey<BatchResult>(key, await storeBatch(context, batch, posts))
  }
  return async (batch: Batch, options?: WriteOptions) => {
    const given = toImport(batch)
    const key = requestKey(SERVER, options, 'batch', batch)
    if (key === undefined) return importBatch(context, given)
    // What is refused has not taken its key.
    await unlessDone(context, key, () => checkImport(context, given))
    const free = await lock.acquire([key.key])
    try {
      return await once(given, key)
    } finally {
      free()
    }
  }
}

function toImport(batch: Batch): ImportBatch {
  return {
    ...batch,
    posts: (batch.posts ?? []).map(({ createdAt, ...post }, index) => ({
      ...post,
      ...(createdAt !== undefined && { createdAt: toTime(createdAt, index) })
    }))
  }
}

/** Unix ms. @throws Problem invalid_request */
function toTime(text: string, index: number): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new Problem(
      'invalid_request',
      `posts[${index}].createdAt: "${text.slice(0, 40)}" is not an ISO 8601 time.`
    )
  return ms
}
