import { migrate } from './adapters/postgres/migrate.ts'
import { startApp } from './app.ts'
import type { Finding } from './cli/runtime.ts'
import type { Config } from './config.ts'
import { runningUrl } from './connect.ts'

/** Looks at one thing after the other; what fails says why. */
export async function doctor(config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = [
    {
      name: 'node',
      ok: Number(process.versions.node.split('.')[0]) >= 24,
      detail: process.version
    },
    { name: 'settings', ok: true, detail: `preset ${config.preset}, data in ${config.dataDir}` }
  ]
  const look = async (name: string, check: () => Promise<string>) => {
    findings.push(await found(name, check))
  }
  const url = config.url || (await runningUrl(config).catch(() => null))
  if (url !== null) {
    await look('server', async () => `${url} answers ${(await fetch(`${url}/readyz`)).status}`)
    return findings
  }
  if (config.databaseUrl !== '') await look('schema', () => schemaState(config.databaseUrl))
  await look('database and server', async () => {
    await using app = await startApp(config, { listen: false })
    const { users, posts, outboxPending, outboxDead } = await app.feed.admin.stats()
    return `${users} users, ${posts} posts, ${outboxPending} events pending, ${outboxDead} given up`
  })
  return findings
}

async function found(name: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { name, ok: true, detail: await check() }
  } catch (error) {
    return { name, ok: false, detail: error instanceof Error ? error.message : String(error) }
  }
}

async function schemaState(url: string): Promise<string> {
  const { pending } = await migrate(url, { dryRun: true })
  return pending.length === 0 ? 'up to date' : `pending: ${pending.join(', ')} (fanwise migrate)`
}
