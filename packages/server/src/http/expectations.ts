import type { IncomingMessage, Server } from 'node:http'
import { Problem } from '../domain/errors.ts'

/** Requests with any `Expect` are taken as requests: what Node answers by itself to unknown ones is no problem. */
export function meetExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

/** @throws Problem invalid_request for an `Expect` that is not known */
export function checkExpectation({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const { expect } = headers
  if (expect === undefined || /^100-continue$/i.test(expect)) return
  throw new Problem(
    'invalid_request',
    `The header Expect is ${JSON.stringify(expect.slice(0, 40))}; only 100-continue is known.`
  )
}
