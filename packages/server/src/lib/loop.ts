/** What a loop needs of a clock. */
interface Sleeper {
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface LoopOptions {
  /** One round; returns how much it did. */
  readonly once: () => Promise<number>
  readonly clock: Sleeper
  /** Pause after a round that did nothing. */
  readonly idleMs: number
  /** Pause after a round that failed. */
  readonly retryMs: number
  readonly onError: (error: unknown) => void
}

export interface Loop extends AsyncDisposable {
  /** Ends the present pause: there is work. */
  wake(): void
}

/** Repeats `once` until disposed; the only place that sleeps. Disposal waits for the round at work. */
export function loop(options: LoopOptions): Loop {
  const stop = new AbortController()
  let pause = new AbortController()
  let woken = false
  async function rest(ms: number): Promise<void> {
    if (woken || stop.signal.aborted) return
    pause = new AbortController()
    await options.clock.sleep(ms, pause.signal)
  }
  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      woken = false
      try {
        if ((await options.once()) === 0) await rest(options.idleMs)
      } catch (error) {
        options.onError(error)
        await rest(options.retryMs)
      }
    }
  }
  const done = run()
  return {
    wake() {
      woken = true
      pause.abort()
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      pause.abort()
      await done
    }
  }
}
