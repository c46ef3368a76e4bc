import path from 'node:path'
import { findProgram } from './find-program.ts'
import { installDebian } from './install-debian.ts'
import { runCommand } from './run-command.ts'

const oldest = 17

async function versionOf(java: string): Promise<number> {
  const output = await runCommand([java, '-version'], { timeoutMs: 20_000 })
  return Number(/version "(\d+)/.exec(output)?.[1] ?? 0)
}

function candidate(): string | undefined {
  const home = process.env.JAVA_HOME
  return home ? path.join(home, 'bin/java') : findProgram('java')
}

/**
 * The path of a Java that runs Kafka, which is installed if there is none.
 * @throws {Error} that says what is missing
 */
export async function findJava(): Promise<string> {
  if (candidate() === undefined) await installDebian('default-jre-headless')
  const java = candidate()
  if (java === undefined) throw new Error('default-jre-headless has installed no java.')
  const version = await versionOf(java)
  if (version >= oldest) return java
  throw new Error(`${java} is Java ${version}; Kafka needs ${oldest} or newer. Set JAVA_HOME.`)
}
