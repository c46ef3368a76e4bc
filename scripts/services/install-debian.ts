import { existsSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { withFileLock } from '../file-lock.mjs'
import { cacheFolder } from './cache-folder.ts'
import { runCommand } from './run-command.ts'

/** What invoke-rc.d asks before it starts a service: 101 is a no. */
const policy = '/usr/sbin/policy-rc.d'

async function withoutServices<T>(work: () => Promise<T>): Promise<T> {
  if (existsSync(policy)) return work()
  await writeFile(policy, '#!/bin/sh\nexit 101\n')
  await chmod(policy, 0o755)
  try {
    return await work()
  } finally {
    await rm(policy, { force: true })
  }
}

function advice(packages: readonly string[]): string {
  return `Install ${packages.join(' and ')} (on Debian: apt-get install ${packages.join(' ')}), or name a running service in the environment.`
}

/**
 * Installs packages of Debian, of which no service is started.
 * @throws {Error} that tells what to install by hand where it can't
 */
export async function installDebian(...packages: [string, ...string[]]): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`It needs root and apt-get to install by itself. ${advice(packages)}`)
  }
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const options = ['-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120']
  const install = () =>
    runCommand(['apt-get', 'install', ...options, ...packages], { env, timeoutMs: 180_000 })
  await withFileLock(`${cacheFolder}/debian.lock`, async () => {
    await runCommand(['apt-get', 'update', '-qq'], { env, timeoutMs: 90_000 })
    await withoutServices(install)
  })
}
