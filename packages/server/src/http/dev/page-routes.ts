import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyPluginAsync } from 'fastify'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8'
}

const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: https:",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
].join('; ')

/** Serves the files that a folder has now, and nothing else: index.html at `/`, the others by their names. */
export function pageRoutes(folder: string): FastifyPluginAsync {
  return async app => {
    for (const name of await servable(folder)) {
      const type = TYPES[path.extname(name)] ?? ''
      const url = name === 'index.html' ? '/' : `/${name}`
      app.get(url, { schema: { hide: true } }, async (_, reply) => {
        const bytes = await readFile(path.join(folder, name))
        return reply
          .headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' })
          .header('cache-control', 'no-cache')
          .type(type)
          .send(bytes)
      })
    }
  }
}

async function servable(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries.filter(one => one.isFile() && path.extname(one.name) in TYPES).map(one => one.name)
}
