import type { AdminApi, FeedApi, UserId } from '@fanwise/sdk'

/** A way to a Fanwise server: the one that runs, or one started in this process for the length of the command. */
export interface Connection extends AsyncDisposable {
  readonly admin: AdminApi
  as(user: UserId): FeedApi
  /** Where the server listens; null when it runs in this process. */
  readonly url: string | null
  /** Where commands keep on this machine what they have to remember. */
  readonly folder: string
}

export interface MigrationReport {
  readonly applied: readonly string[]
  readonly pending: readonly string[]
}

/** One thing that doctor looked at. */
export interface Finding {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

/** Settings given as flags, by their key in config.ts. */
export type Flags = Readonly<Record<string, string>>

/** What the command line needs of the rest; main.ts provides it. */
export interface Runtime {
  /** Serves until it is told to stop. `dev` shows the console; `demo` also fills an empty database. */
  serve(flags: Flags, mode: 'start' | 'dev' | 'demo'): Promise<void>
  connect(flags: Flags): Promise<Connection>
  token(flags: Flags, user: UserId, days: number): Promise<string>
  migrate(flags: Flags, dryRun: boolean): Promise<MigrationReport>
  doctor(flags: Flags): Promise<readonly Finding[]>
}
