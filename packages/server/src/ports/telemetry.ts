export type Level = 'debug' | 'info' | 'warn' | 'error'
export type Fields = Readonly<Record<string, unknown>>
export type Labels = Readonly<Record<string, string>>

/** Logs and metrics. Names of metrics are snake_case with the unit last; the adapter adds the prefix `fanwise_`. */
export interface Telemetry {
  log(level: Level, message: string, fields?: Fields): void
  count(name: string, by?: number, labels?: Labels): void
  gauge(name: string, value: number, labels?: Labels): void
  /** A duration in ms. */
  observe(name: string, ms: number, labels?: Labels): void
}
