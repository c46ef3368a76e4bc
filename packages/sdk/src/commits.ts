const TOKENS_MAX = 16
const KEPT_MS = 300_000

interface Kept {
  readonly token: string
  readonly until: number
}

/**
 * Commit tokens of what a client wrote, for its later reads: on whatever server these end up, they look for it. What was
 * written has reached the feeds long before it is forgotten here.
 */
export class Commits {
  #kept: readonly Kept[] = []

  /** `text`: tokens separated by commas. */
  add(text: string): void {
    const until = Date.now() + KEPT_MS
    const tokens = text.split(',').map(token => token.trim())
    const others = this.#kept.filter(({ token }) => !tokens.includes(token))
    this.#kept = [...others, ...tokens.map(token => ({ token, until }))].slice(-TOKENS_MAX)
  }

  /** Separated by commas; null when there are none. */
  get text(): string | null {
    const now = Date.now()
    this.#kept = this.#kept.filter(({ until }) => until > now)
    return this.#kept.length === 0 ? null : this.#kept.map(({ token }) => token).join(',')
  }

  clear(): void {
    this.#kept = []
  }
}
