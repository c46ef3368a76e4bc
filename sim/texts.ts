interface Edit {
  /** Null: any. */
  readonly text: string | null
  readonly start: number
  end: number
  acked: boolean
}

/** Processes go by what was announced until so long ago. */
const ANNOUNCED_MS = 100

/** The words that a post may show: those of the last edit that was answered, and of any that ran beside it or after. */
export class Texts {
  readonly #edits: Edit[]

  constructor(text: string | null) {
    this.#edits = [{ text, start: -1, end: -1, acked: true }]
  }

  begin(text: string, now: number): { ack(at: number): void } {
    const edit: Edit = { text, start: now, end: Number.POSITIVE_INFINITY, acked: false }
    this.#edits.push(edit)
    return {
      ack(at) {
        Object.assign(edit, { end: at, acked: true })
      }
    }
  }

  allows(text: string, from: number): boolean {
    const told = this.#edits.filter(({ acked, end }) => acked && end <= from - ANNOUNCED_MS)
    const since = told.reduce((latest, { start }) => Math.max(latest, start), -1)
    return this.#edits.some(edit => edit.end >= since && (edit.text ?? text) === text)
  }
}
