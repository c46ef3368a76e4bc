/** One turn of a job; true when it has another. */
export type Turn = () => Promise<boolean>

/**
 * Works off jobs turn by turn, `width` at a time, so that a job of many turns does not hold up a short one. After a
 * failure no further turn starts; those at work are waited for, and then the first error is thrown.
 */
export async function inTurns(jobs: readonly Turn[], width: number): Promise<void> {
  const queue = [...jobs]
  const errors: unknown[] = []
  async function run(): Promise<void> {
    for (let job = queue.shift(); job && errors.length === 0; job = queue.shift()) {
      try {
        if (await job()) queue.push(job)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, jobs.length) }, run))
  if (errors.length > 0) throw errors[0]
}
