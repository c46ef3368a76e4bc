import type { FastifyInstance } from 'fastify'

/** The methods of each route, to tell a wrong method from a wrong address. */
export class KnownRoutes {
  readonly #methods = new Map<string, Set<string>>()

  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      const known = this.#methods.get(url) ?? new Set()
      for (const one of [method].flat()) known.add(one)
      this.#methods.set(url, known)
    })
  }

  /** The methods of the routes that fit an address, sorted; empty if none fits. */
  methodsOf(address: string): string[] {
    const [path = ''] = address.split('?')
    const fitting = [...this.#methods].filter(([pattern]) => fits(pattern, path))
    return [...new Set(fitting.flatMap(([, methods]) => [...methods]))].sort()
  }
}

function fits(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return false
  return wanted.every((part, at) => (part.startsWith(':') ? given[at] !== '' : part === given[at]))
}
