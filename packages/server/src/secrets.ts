import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from './config.ts'
import { SettingsError } from './settings.ts'

export interface Secrets {
  readonly secret: string
  /** Empty: the routes of the server key are off. */
  readonly serverKey: string
  /** Where generated ones are kept; null when all were given. */
  readonly file: string | null
}

const LENGTH_MIN = 32

/** Given secrets, or (outside production) generated ones that stay in the data folder. @throws SettingsError */
export async function readSecrets(config: Config): Promise<Secrets> {
  const problems = [
    ...tooShort('FANWISE_SECRET', config.secret),
    ...tooShort('FANWISE_SERVER_KEY', config.serverKey)
  ]
  if (config.production && config.secret === '')
    problems.push(
      'FANWISE_SECRET: needed in production; for example the output of `openssl rand -hex 32`'
    )
  if (problems.length > 0) throw new SettingsError(problems)
  if (config.production || (config.secret !== '' && config.serverKey !== ''))
    return { secret: config.secret, serverKey: config.serverKey, file: null }
  const file = path.resolve(config.dataDir, 'secrets.json')
  const kept = await keptSecrets(file)
  return {
    secret: config.secret || kept.secret,
    serverKey: config.serverKey || kept.serverKey,
    file
  }
}

function tooShort(name: string, value: string): string[] {
  if (value === '' || value.length >= LENGTH_MIN) return []
  return [`${name}: ${value.length} characters are too few; at least ${LENGTH_MIN} are needed`]
}

async function keptSecrets(file: string): Promise<{ secret: string; serverKey: string }> {
  const made = {
    secret: randomBytes(32).toString('hex'),
    serverKey: randomBytes(32).toString('hex')
  }
  await mkdir(path.dirname(file), { recursive: true })
  try {
    const handle = await open(file, 'wx', 0o600)
    await handle.writeFile(JSON.stringify(made))
    await handle.sync()
    await handle.close()
    return made
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return JSON.parse(await readFile(file, 'utf8')) as { secret: string; serverKey: string }
}
