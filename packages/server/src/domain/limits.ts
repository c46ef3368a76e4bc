/** Numbers that hang together (PROTOCOL: W >= LATE + FLIGHT + clocks). All in ms. */
export const LATE_MS = 15_000
export const FLIGHT_MS = 10_000
export const CLOCKS_MS = 5_000
export const WINDOW_MS = LATE_MS + FLIGHT_MS + CLOCKS_MS

/** Posts older than this when their event is processed are not pushed: their followers' warm feeds are dropped. */
export const BACKLOG_MS = 3_600_000

/** Entries of one batch, of all kinds together. */
export const BATCH_MAX = 1000

export type DeliveryPolicy = 'push' | 'pull' | 'hybrid'

/** What an operator may set; presets are rows of it. */
export interface Limits {
  /** Ids kept in one feed. */
  readonly cap: number
  /** Pushes above the cap before a feed is trimmed. */
  readonly slack: number
  /** Followers from which an author is pulled. */
  readonly threshold: number
  readonly delivery: DeliveryPolicy
  /** A feed that nobody reads for this long is forgotten. */
  readonly idleMs: number
  /** From when that counts: the last read, or when the feed was built; then it is built again however much it is read. */
  readonly idleFrom: 'read' | 'build'
  /** The same for a feed that was built empty, if it is shorter. */
  readonly emptyMs: number
  /** A walk that was frozen for numbered pages is kept for this long after it last grew. */
  readonly sessionMs: number
  /** Whether the home feed can be paged by number. */
  readonly numberedPages: boolean
  /** Posts that are scored for one ranked page; null: three times as many as the page has. */
  readonly candidates: number | null
  /** A score is used again for this long. */
  readonly scoreMs: number
  /** A builder that dies frees its feed after this long. */
  readonly buildMs: number
  /** Followers per slice. */
  readonly slice: number
  /** A page that takes longer is cut short and says `partial`. */
  readonly pageMs: number
  /** Ids looked at for one page before it is cut short. */
  readonly pageScan: number
  /** From `both` to `pull`; more than any page and any cache of delivery lives. */
  readonly graceMs: number
  /** An unfollow's cut is kept at least this long after the worker saw the unfollow. */
  readonly cutMs: number
  /** How long verify waits for events that are on their way before a difference counts. */
  readonly settleMs: number
  readonly followsMax: number
  /** Private accounts that one user waits for; each counts towards `followsMax` too, so that accepting never fails. */
  readonly requestsMax: number
  /** Blocks of one reader; and mutes, and hides: all of them are read when the cached rules are gone. */
  readonly rulesMax: number
  /** Follows in one request above which the reader's feed is dropped once instead of backfilled. */
  readonly backfillAuthors: number
  readonly contentMax: number
  readonly attrsBytes: number
}

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

const activityFeed: Limits = {
  cap: 800,
  slack: 16,
  threshold: 100_000,
  delivery: 'hybrid',
  idleMs: 30 * DAY_MS,
  idleFrom: 'read',
  emptyMs: 30 * DAY_MS,
  sessionMs: 30 * MINUTE_MS,
  numberedPages: false,
  candidates: null,
  scoreMs: 5 * MINUTE_MS,
  buildMs: 10_000,
  slice: 1000,
  pageMs: 1000,
  pageScan: 5000,
  graceMs: 3000,
  cutMs: HOUR_MS,
  settleMs: 10_000,
  followsMax: 10_000,
  requestsMax: 1000,
  rulesMax: 10_000,
  backfillAuthors: 50,
  contentMax: 10_000,
  attrsBytes: 8192
}

export const PRESETS = {
  'activity-feed': activityFeed,
  'news-feed': { ...activityFeed, cap: 500, candidates: 500 },
  enterprise: {
    ...activityFeed,
    cap: 1000,
    delivery: 'push',
    idleMs: 60 * HOUR_MS,
    idleFrom: 'build',
    emptyMs: 5 * MINUTE_MS,
    numberedPages: true
  },
  'news-feed-ml': { ...activityFeed, candidates: 200 }
} as const satisfies Record<string, Limits>

export type Preset = keyof typeof PRESETS

/** What Feeds need of them. */
export type FeedsLimits = Pick<Limits, 'cap' | 'slack' | 'idleMs' | 'buildMs'> &
  Partial<Pick<Limits, 'idleFrom' | 'emptyMs' | 'sessionMs' | 'numberedPages'>>

/** How long a list lives from its build on, in ms. */
export function lifeMs({ idleMs, emptyMs = idleMs }: FeedsLimits, empty: boolean): number {
  return empty ? Math.min(idleMs, emptyMs) : idleMs
}

/** Demotion waits until an author is well below the threshold, so that nobody flips to and fro. */
export function demoteBelow(threshold: number): number {
  return Math.floor(threshold * 0.8)
}
