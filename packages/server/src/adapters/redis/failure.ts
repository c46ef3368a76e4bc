import { ErrorReply } from 'redis'

/**
 * What became of a command that has no answer to give.
 * moved, ask: another node has the slot · wait: this server can't just now · readonly, loading: not the server to
 * talk to · unsafe: it may hold old data and is being emptied · unsent: nothing was written · unknown: written, and
 * no answer came: it may have been done, or may yet be · oom: refused for lack of memory · othertype: the key
 * holds a feed as another kind of data · refused: anything else.
 */
export type FailureKind =
  | 'moved'
  | 'ask'
  | 'wait'
  | 'readonly'
  | 'loading'
  | 'unsafe'
  | 'unsent'
  | 'unknown'
  | 'oom'
  | 'noscript'
  | 'othertype'
  | 'refused'

const KINDS: Record<string, FailureKind> = {
  MOVED: 'moved',
  ASK: 'ask',
  TRYAGAIN: 'wait',
  CLUSTERDOWN: 'wait',
  BUSY: 'wait',
  NOREPLICAS: 'wait',
  READONLY: 'readonly',
  MASTERDOWN: 'readonly',
  LOADING: 'loading',
  NOSCRIPT: 'noscript',
  OOM: 'oom',
  WRONGTYPE: 'othertype'
}

export class RedisFailure extends Error {
  readonly kind: FailureKind
  /** Marks what waiting may cure. */
  readonly code: string

  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'RedisFailure'
    this.kind = kind
    this.code = kind === 'refused' ? 'REFUSED' : 'EREDIS'
  }

  /** Where MOVED and ASK point to. */
  get redirect(): { slot: number; address: string } | undefined {
    const [, slot, address] = /^(?:MOVED|ASK) (\d+) (\S+)/.exec(this.message) ?? []
    return slot === undefined || address === undefined ? undefined : { slot: Number(slot), address }
  }
}

/** The failure of a command that was written. */
export function failureOf(error: unknown): RedisFailure {
  if (error instanceof RedisFailure) return error
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof ErrorReply)) return new RedisFailure('unknown', message, error)
  // A command inside EXEC or a script tells its own error behind the outer one.
  const word = message.split(' ', 1)[0] ?? ''
  const inner =
    /\b(OOM|READONLY|MOVED|ASK|TRYAGAIN|CLUSTERDOWN|WRONGTYPE) /.exec(message)?.[1] ?? ''
  return new RedisFailure(KINDS[word] ?? KINDS[inner] ?? 'refused', message, error)
}
