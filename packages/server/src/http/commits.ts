import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Session } from '../domain/commit.ts'

/** Names what an answer has written. */
export const COMMIT = 'fanwise-commit'

/** Names what a read has to look for. */
export const MIN_COMMIT = 'fanwise-min-commit'

declare module 'fastify' {
  interface FastifyRequest {
    commits: string[] | null
  }
}

/** Every answer of `app` says in a header what its request has written. */
export function sendCommits(app: FastifyInstance): void {
  app.decorateRequest('commits', null)
  app.addHook('onSend', async ({ commits }, reply) => {
    if (commits !== null) reply.header(COMMIT, commits.join(','))
  })
}

/** Node joins headers that are sent more than once with a comma. */
export function sessionOf(request: FastifyRequest): Session {
  const minCommit = request.headers[MIN_COMMIT]
  return {
    minCommit: minCommit === undefined ? undefined : String(minCommit),
    onCommit: commit => {
      request.commits = [...(request.commits ?? []), commit]
    }
  }
}
