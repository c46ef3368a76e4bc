/**
 * Runs work that Ctrl-C asks to end behind its current step; a second Ctrl-C ends the process at once, as it would
 * without this.
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const abort = () => {
    process.stderr.write('\nStopping behind the batch that is under way; what was sent stays.\n')
    stop.abort()
  }
  process.once('SIGINT', abort)
  try {
    return await work(stop.signal)
  } finally {
    process.off('SIGINT', abort)
  }
}
