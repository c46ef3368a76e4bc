import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from './config.ts'
import { makeFolder } from './lib/make-folder.ts'
import { SettingsError } from './settings.ts'

export interface Secrets {
  readonly secret: string
  /** Empty: the routes of the server key are off. */
  readonly serverKey: string
  /** Where generated ones are kept; null when all were given. */
  readonly file: string | null
}

const LENGTH_MIN = 32
/** What can stand behind `Authorization: Bearer` (RFC 6750). */
const BEARER = /^[A-Za-z0-9._~+/=-]*$/
const NOT_BEARER =
  'FANWISE_SERVER_KEY: only A-Z a-z 0-9 and - . _ ~ + / = are allowed, as it is sent in a header'

/** Given secrets, or (outside production) generated ones that stay in the data folder. @throws SettingsError */
export async function readSecrets(config: Config): Promise<Secrets> {
  const problems = [
    ...tooShort('FANWISE_SECRET', config.secret),
    ...tooShort('FANWISE_SERVER_KEY', config.serverKey),
    ...(BEARER.test(config.serverKey) ? [] : [NOT_BEARER])
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

/** Written beside and linked: two first starts at once must agree, and nobody may read half a file. */
async function keptSecrets(file: string): Promise<{ secret: string; serverKey: string }> {
  const made = {
    secret: randomBytes(32).toString('hex'),
    serverKey: randomBytes(32).toString('hex')
  }
  await makeFolder(path.dirname(file))
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, JSON.stringify(made), { mode: 0o600, flush: true })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
  return JSON.parse(await readFile(file, 'utf8')) as { secret: string; serverKey: string }
}
