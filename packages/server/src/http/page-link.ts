import type { Page } from '@fanwise/sdk'
import type { FastifyReply } from 'fastify'

/** Behind the items: what user text holds comes before, and its quotes are escaped. */
const NEXT = /"nextCursor":"([A-Za-z0-9_-]+)"/

/** Sends a page with the address of the next one in `Link`. */
export function sendPage<T>(reply: FastifyReply, page: Page<T>): FastifyReply {
  return linkNext(reply, page.nextCursor).send(page)
}

/** Sends the JSON bytes of a page as they are. */
export function sendPageBytes(reply: FastifyReply, bytes: Uint8Array): FastifyReply {
  return sendBytes(linkNext(reply, nextCursorOf(bytes)), bytes)
}

export function sendBytes(reply: FastifyReply, bytes: Uint8Array): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(bytes)
}

function nextCursorOf(bytes: Uint8Array): string | null {
  const tail = bytes.subarray(bytes.lastIndexOf(0x5d) + 1)
  return NEXT.exec(Buffer.from(tail).toString())?.[1] ?? null
}

/** A cursor holds its bounds. The address is relative to the server, so it holds behind any proxy. */
function linkNext(reply: FastifyReply, cursor: string | null): FastifyReply {
  if (cursor === null) return reply
  const [path = '', query = ''] = reply.request.url.split('?')
  const next = new URLSearchParams(query)
  for (const bound of ['after', 'before', 'page', 'size', 'snapshot']) next.delete(bound)
  next.set('cursor', cursor)
  return reply.header('link', `<${path}?${next}>; rel="next"`)
}
