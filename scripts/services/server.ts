/** One server process of a service. It comes back on the same port and data. */
export interface Server {
  /** Such as `redis-cluster-2`. */
  readonly name: string
  /** TCP port on 127.0.0.1. */
  readonly port: number
  /** What it keeps: configuration, data, log. */
  readonly folder: string
  readonly logFile: string
  /** Of the process that runs, or ran last. */
  readonly pid: number
  /** What ends it without a loss. */
  readonly stopSignal: NodeJS.Signals
  /** Resolves when it answers. Does nothing while it runs. */
  start(): Promise<void>
  /** The polite end, and kill -9 if that takes over 15 s. */
  stop(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** SIGSTOP: connections stay, answers don't come. */
  pause(): void
  resume(): void
}
