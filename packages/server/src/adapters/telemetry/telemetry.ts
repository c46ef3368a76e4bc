import type { Telemetry } from '../../ports/telemetry.ts'
import { createLog, type LogOptions } from './log.ts'
import { createMetrics, type MetricsPage } from './metrics.ts'

export interface OpenTelemetry {
  readonly telemetry: Telemetry
  /** What `GET /metrics` answers. */
  readonly metrics: () => Promise<MetricsPage>
}

/** Logs by pino, metrics by prom-client. */
export function createTelemetry(options: LogOptions): OpenTelemetry {
  const log = createLog(options)
  const complain = (metric: string, error: unknown) =>
    log('warn', 'A metric was not counted', { metric, error })
  const { read, ...measures } = createMetrics(complain)
  return { telemetry: { log, ...measures }, metrics: read }
}
