import type { IncomingMessage } from 'node:http'

/** What a client may still send of a body that is refused. */
const DRAIN_MAX = 64 * 1024 * 1024

/** Whether a request has a body, by its headers. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Whether there is nothing more to come of a request. */
export function isWhole(request: IncomingMessage): boolean {
  return request.complete || request.readableEnded || !hasBody(request)
}

/**
 * Reads the rest of a body and drops it: many clients send everything before they read, and a connection closed over
 * unread bytes takes the answer with it. True when the end was reached; false when there is more than is worth reading,
 * or the client is gone.
 */
export function drain(request: IncomingMessage, max = DRAIN_MAX): Promise<boolean> {
  if (isWhole(request)) return Promise.resolve(true)
  if (request.destroyed) return Promise.resolve(false)
  return new Promise(resolve => {
    let bytes = 0
    const finish = () => {
      request.off('data', count).off('end', finish).off('close', finish)
      resolve(isWhole(request))
    }
    const count = (chunk: Uint8Array) => {
      bytes += chunk.byteLength
      if (bytes <= max) return
      request.pause()
      finish()
    }
    request.on('data', count).on('end', finish).on('close', finish)
    request.resume()
  })
}
