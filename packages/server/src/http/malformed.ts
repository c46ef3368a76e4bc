import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Problem } from '../domain/errors.ts'
import type { OpenRequests } from './open-requests.ts'
import { PROBLEM_TYPE, problemDetails } from './problem-details.ts'
import { requestId } from './request-id.ts'

type Answer = (error: NodeJS.ErrnoException, socket: Socket) => void

/**
 * Answers what Node itself could not read as a request: there is a socket, but nothing to reply to. Whatever came before
 * it on the connection is answered first, or its sender would take this answer for theirs.
 */
export function malformedAnswerer(requests: OpenRequests): Answer {
  const ending = new WeakSet<Socket>()
  async function answer({ code }: NodeJS.ErrnoException, socket: Socket): Promise<void> {
    const open = requests.of(socket)
    const whole = open.filter(({ req, closed }) => req.complete && !closed)
    await Promise.all(whole.map(response => once(response, 'close')))
    // Who was answered before their request had arrived takes no second answer.
    if (!socket.writable || open.some(({ req, headersSent }) => !req.complete && headersSent))
      socket.destroy()
    else socket.end(malformed(code))
  }
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    if (ending.has(socket)) return
    ending.add(socket)
    answer(error, socket).catch(() => socket.destroy())
  }
}

function malformed(code: string | undefined): string {
  const problem = new Problem('invalid_request', reason(code))
  const body = JSON.stringify(problemDetails(problem, requestId({ headers: {} })))
  const head = [
    'HTTP/1.1 400 Bad Request',
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: private, no-store',
    'connection: close'
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

function reason(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The address and headers are larger than 16 KB.'
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request did not arrive in time.'
  return 'The request is not valid HTTP.'
}
