import { pino } from 'pino'
import type { Fields, Telemetry } from '../../ports/telemetry.ts'
import { pretty } from './pretty.ts'
import { redact, redactText } from './redact.ts'

/** `silent` logs nothing. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Where lines go: one of the two streams of the process, or something that takes lines. */
export type LogDestination = 'stdout' | 'stderr' | { write(line: string): void }

export interface LogOptions {
  /** Least level that is logged. */
  readonly level: LogLevel
  /** Lines for people instead of JSON. */
  readonly pretty?: boolean
  /** stderr if absent. */
  readonly destination?: LogDestination
}

function streamTo(destination: LogDestination): { write(line: string): void } {
  if (typeof destination === 'object') return destination
  const stream = pino.destination({ dest: destination === 'stdout' ? 1 : 2, sync: true })
  // A terminal or pipe that has gone takes its lines with it, and not the process.
  stream.on('error', () => undefined)
  return stream
}

/** JSON, one object a line: `level`, `time` (ISO 8601), `message` and the fields. Secrets are hidden. */
export function createLog(options: LogOptions): Telemetry['log'] {
  const { level, destination = 'stderr' } = options
  const stream = streamTo(destination)
  const out = options.pretty ? { write: (line: string) => stream.write(pretty(line)) } : stream
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: label => ({ level: label }),
        log: fields => redact(fields) as Record<string, unknown>
      }
    },
    out
  )
  return (level, message, fields: Fields = {}) => logger[level](fields, redactText(message))
}
