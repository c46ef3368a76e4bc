import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../domain/errors.ts'
import { hasBody } from './drain.ts'

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/gi

/** Refuses bodies in a form that is not read, before they are: compressed ones, and text in other charsets than UTF-8. */
export function refuseEncodings(app: FastifyInstance): void {
  app.addHook('preParsing', async request => {
    if (!hasBody(request.raw)) return
    checkEncoding(request)
    checkCharset(request)
  })
}

function checkEncoding({ headers }: FastifyRequest): void {
  const encodings = (headers['content-encoding'] ?? '').split(',').map(one => one.trim())
  const unknown = encodings.find(one => one !== '' && one.toLowerCase() !== 'identity')
  if (unknown === undefined) return
  throw new Problem(
    'unsupported_media_type',
    `The header Content-Encoding is ${shown(unknown)}; only identity is known. Send the body as it is.`
  )
}

function checkCharset({ headers }: FastifyRequest): void {
  const charsets = [...(headers['content-type'] ?? '').matchAll(CHARSET)].map(
    ([, name = '']) => name
  )
  const unknown = charsets.find(name => !/^utf-?8$/i.test(name))
  if (unknown === undefined) return
  throw new Problem(
    'unsupported_media_type',
    `The header Content-Type has the charset ${shown(unknown)}; only utf-8 is known.`
  )
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, 40))
}
