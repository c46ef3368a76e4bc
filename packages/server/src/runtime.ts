import path from 'node:path'
import { findRunning, startBundledPostgres } from './adapters/postgres/bundled/index.ts'
import { migrate } from './adapters/postgres/migrate.ts'
import { advise } from './advise.ts'
import type { Flags, MigrationReport, Runtime } from './cli/runtime.ts'
import { type Config, readConfig } from './config.ts'
import { connect } from './connect.ts'
import { doctor } from './doctor.ts'
import { PRESETS } from './domain/limits.ts'
import { isUserId } from './domain/user.ts'
import { signToken } from './http/auth/sign-token.ts'
import { readSecrets } from './secrets.ts'
import { DEMO_THRESHOLD, serve } from './serve.ts'

/** What the command line can do, with everything wired up. */
export const runtime: Runtime = {
  async serve(flags, mode) {
    const given = readConfig(flags)
    const dev = mode !== 'start'
    if (dev && given.production)
      throw new Error(
        '`dev` is not for production; use `fanwise start`, or set FANWISE_ENV=development.'
      )
    const demoLimits = given.limits.threshold === PRESETS[given.preset].threshold
    const limits = dev && demoLimits ? { ...given.limits, threshold: DEMO_THRESHOLD } : given.limits
    await advised(given, () => serve({ ...given, limits }, { dev, demo: mode === 'demo' }))
  },
  connect(flags) {
    const config = quiet(flags)
    return advised(config, () => connect(config))
  },
  async token(flags, user, days) {
    if (!isUserId(user))
      throw new Error(`"${user}" is not a user id: 1 to 64 of A-Z a-z 0-9 _ . : -`)
    const config = readConfig(flags)
    const { secret } = await advised(config, () => readSecrets(config))
    const { jwtIssuer: issuer, jwtAudience: audience } = config
    return signToken({ secret, issuer, audience }, user, `${days} days`)
  },
  async migrate(flags, dryRun) {
    const config = readConfig(flags)
    return advised(config, () => migrateDatabase(config, dryRun))
  },
  doctor: flags => doctor(quiet(flags))
}

/** A look is allowed while a server works on the data folder; a change waits until it has stopped. */
async function migrateDatabase(config: Config, dryRun: boolean): Promise<MigrationReport> {
  if (config.databaseUrl !== '') return migrate(config.databaseUrl, { dryRun })
  const dataDir = path.resolve(config.dataDir, 'postgres')
  const running = dryRun ? await findRunning(dataDir) : undefined
  if (running !== undefined) return migrate(running.url, { dryRun })
  await using database = await startBundledPostgres({ dataDir })
  return await migrate(database.url, { dryRun })
}

async function advised<T>(config: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw advise(error, config)
  }
}

/** Commands show their result, not the log of a server that they start for themselves. */
function quiet(flags: Flags): Config {
  return readConfig({ logLevel: 'warn', ...flags })
}
