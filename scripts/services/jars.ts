import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { withFileLock } from '../file-lock.mjs'
import { cacheFolder } from './cache-folder.ts'
import { findProgram } from './find-program.ts'
import { installDebian } from './install-debian.ts'
import { runCommand } from './run-command.ts'

/** Debezium 3.6 is made for this Kafka. */
const kafka = '4.3.0'
const debezium = '3.6.1.Final'

const sets = {
  kafka: [
    `org.apache.kafka:kafka_2.13:${kafka}`,
    `org.apache.kafka:connect-runtime:${kafka}`,
    `org.apache.kafka:connect-json:${kafka}`,
    'org.apache.logging.log4j:log4j-slf4j-impl:2.24.3'
  ],
  debezium: [`io.debezium:debezium-connector-postgres:${debezium}`]
}

/** The worker has these; a second copy of a plugin's own would not be the same classes. */
const givenByWorker = 'connect-api,kafka-clients,slf4j-api'

function pom(artifacts: readonly string[]): string {
  const dependencies = artifacts.map(artifact => {
    const [group, name, version] = artifact.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`
  })
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>fanwise</groupId><artifactId>services</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>${dependencies.join('\n')}</dependencies></project>\n`
}

async function download(set: keyof typeof sets, folder: string): Promise<void> {
  if (findProgram('mvn') === undefined) await installDebian('maven')
  const unfinished = await mkdtemp(`${folder}.`)
  await writeFile(path.join(unfinished, 'pom.xml'), pom(sets[set]))
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'
  const excluded = set === 'debezium' ? [`-DexcludeArtifactIds=${givenByWorker}`] : []
  const args = ['-B', '-q', '-ntp', goal, '-DincludeScope=runtime', ...excluded]
  const output = `-DoutputDirectory=${path.join(unfinished, 'lib')}`
  try {
    await runCommand(['mvn', ...args, output], { cwd: unfinished, timeoutMs: 240_000 })
    await rename(unfinished, folder)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/**
 * A folder with `lib`, the jars of Kafka and Kafka Connect, or of Debezium's PostgreSQL connector.
 * Maven fetches them once.
 * @throws {Error} with the end of Maven's output
 */
export async function jars(set: keyof typeof sets): Promise<string> {
  const hash = createHash('sha256').update(pom(sets[set])).digest('hex').slice(0, 8)
  const folder = path.join(cacheFolder, 'jars', `${set}-${hash}`)
  if (existsSync(folder)) return folder
  await mkdir(path.dirname(folder), { recursive: true })
  await withFileLock(`${cacheFolder}/jars.lock`, async () => {
    if (!existsSync(folder)) await download(set, folder)
  })
  return folder
}
