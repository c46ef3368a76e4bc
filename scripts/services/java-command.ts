import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { findJava } from './find-java.ts'
import { jars } from './jars.ts'

const logging = `rootLogger.level=INFO
rootLogger.appenderRef.out.ref=out
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=%d{ISO8601} %-5p %c{1} %m%n
`

/** Compiling less starts sooner; the rest keeps several of them within a small machine. */
const options = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData']

/** The command line, but for its arguments, that runs a class of Kafka with its files in `folder`. */
export async function javaCommand(
  main: string,
  { folder, heapMb }: { folder: string; heapMb: number }
): Promise<[string, ...string[]]> {
  const [java, kafka] = [await findJava(), await jars('kafka')]
  const file = path.join(folder, 'log4j2.properties')
  await writeFile(file, logging)
  const log = `-Dlog4j2.configurationFile=${file}`
  return [java, `-Xmx${heapMb}m`, ...options, log, '-cp', path.join(kafka, 'lib/*'), main]
}

/** The text of a Java properties file; values are taken as they are. */
export function properties(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}
