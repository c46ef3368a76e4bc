/** Where a command writes: results to stdout, progress to stderr. */
export interface Output {
  readonly json: boolean
  /** One result: an object with --json, else its lines. */
  result(value: unknown, lines: readonly string[]): void
  /** How far a long command is; redrawn in place on a terminal, a line now and then elsewhere. */
  progress(text: string): void
  /** Ends the progress line. */
  done(): void
}

const LINE_EVERY_MS = 2000

export function createOutput(json: boolean, out = process.stdout, err = process.stderr): Output {
  let last = 0
  let drawn = false
  const tty = err.isTTY === true && !json
  return {
    json,
    result(value, lines) {
      out.write(json ? `${JSON.stringify(value)}\n` : lines.map(line => `${line}\n`).join(''))
    },
    progress(text) {
      const now = Date.now()
      if (now - last < (tty ? 100 : LINE_EVERY_MS)) return
      last = now
      drawn = tty
      err.write(tty ? `\r\u001b[2K${text}` : `${text}\n`)
    },
    done() {
      if (drawn) err.write('\r\u001b[2K')
      drawn = false
    }
  }
}

/** `[=====>    ]  52 %` */
export function bar(part: number, width = 24): string {
  const filled = Math.round(Math.min(1, Math.max(0, part)) * width)
  return `[${'='.repeat(filled)}${' '.repeat(width - filled)}] ${String(Math.round(part * 100)).padStart(3)} %`
}
