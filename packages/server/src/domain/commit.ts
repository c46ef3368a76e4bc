import { Problem } from './errors.ts'
import { isPostId, type PostId } from './post-id.ts'
import { Seal, shown } from './seal.ts'

/**
 * What a write left behind, as far as a later read may have to look for it: a post that was made, changed or deleted; that
 * a reader's rules changed; that a reader follows an author. Users are numbers.
 */
export type Trace =
  | { readonly kind: 'post'; readonly author: number; readonly post: PostId }
  | { readonly kind: 'rules'; readonly reader: number }
  | { readonly kind: 'follow'; readonly reader: number; readonly author: number }

const VERSION = '1'
const NUMBER = /^[1-9][0-9]{0,15}$/

/** What comes along with a request, beside who asks. */
export interface Session {
  /** Commit tokens, separated by commas: reads look for what they name. */
  readonly minCommit?: string | undefined
  /** Called by each write with the token of what it wrote. */
  readonly onCommit?: ((commit: string) => void) | undefined
}

/** Whether the reader's rules changed with what the traces name. */
export function changesRules(traces: readonly Trace[], reader: number): boolean {
  return traces.some(trace => trace.kind !== 'post' && trace.reader === reader)
}

/** Tokens that a read may carry at once. */
export const COMMITS_MAX = 32

/** Commit tokens: signed traces. Several are one text, separated by commas. */
export class CommitCodec {
  readonly #seal: Seal

  constructor(secret: string) {
    this.#seal = new Seal(secret, 'fanwise commit')
  }

  encode(trace: Trace): string {
    return this.#seal.close([VERSION, ...partsOf(trace)].join('.'))
  }

  /** @throws Problem invalid_commit unless all of it was made by this server. */
  decode(text: string): readonly Trace[] {
    const tokens = text.split(',').map(token => token.trim())
    if (tokens.length > COMMITS_MAX)
      throw new Problem(
        'invalid_commit',
        `There are ${tokens.length} commit tokens; ${COMMITS_MAX} are allowed at once.`
      )
    return tokens.map(token => {
      const trace = traceOf(this.#seal.open(token)?.split('.') ?? [])
      if (trace === null) throw refusal(token)
      return trace
    })
  }
}

function partsOf(trace: Trace): readonly (string | number)[] {
  if (trace.kind === 'post') return ['p', trace.author, trace.post]
  if (trace.kind === 'rules') return ['r', trace.reader]
  return ['f', trace.reader, trace.author]
}

function traceOf([version, kind, user = '', other = '', ...rest]: readonly string[]): Trace | null {
  if (version !== VERSION || !NUMBER.test(user) || rest.length > 0) return null
  const number = Number(user)
  if (kind === 'r') return other === '' ? { kind: 'rules', reader: number } : null
  if (kind === 'p') return isPostId(other) ? { kind: 'post', author: number, post: other } : null
  if (kind !== 'f' || !NUMBER.test(other)) return null
  return { kind: 'follow', reader: number, author: Number(other) }
}

function refusal(token: string): Problem {
  return new Problem(
    'invalid_commit',
    `The commit token "${shown(token)}" was not made by this server. Read without it.`
  )
}
