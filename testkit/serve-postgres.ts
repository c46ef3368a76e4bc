// A process that runs the bundled PostgreSQL: prints what came of it as a line of JSON, and stops when stdin ends.
import { once } from 'node:events'
import { startBundledPostgres } from '../packages/server/src/adapters/postgres/bundled/index.ts'
import type { Answer, ServeOptions } from './postgres-folder.ts'

const { become, httpPort, ...options } = JSON.parse(process.argv[2] as string) as ServeOptions

// After all modules are loaded, so that the checkout itself may be out of that user's reach.
if (become !== undefined) {
  process.setgroups?.([become])
  process.setgid?.(become)
  process.setuid?.(become)
}

function answer(result: Answer): void {
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

try {
  const server = await startBundledPostgres(options)
  if (httpPort !== undefined) await server.setOwner({ port: httpPort })
  answer(server)
  await once(process.stdin.resume(), 'end')
  await server.stop()
} catch (cause) {
  const { code, message, owner } = cause as NonNullable<Answer['error']>
  answer({ error: { message, ...(code && { code }), ...(owner && { owner }) } })
}
process.exit()
