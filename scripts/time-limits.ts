const minute = 60_000
const ci = process.env.CI === 'true'

/** For tests that are asked from outside to go on for longer, or with more users. */
const moreMs =
  Number(process.env.FANWISE_TEST_SOAK_S ?? 0) * 4000 +
  Number(process.env.FANWISE_TEST_LOAD ?? 0) * 20 * minute

/** A test file over this is ended, and counts as failed. */
export const fileLimitMs = (ci ? 10 : 3) * minute + moreMs

/** A run over this is ended. */
export const runLimitMs = (ci ? 60 : 15) * minute + 2 * moreMs

/** A file that still holds something open this long after its last test leaks, and counts as failed. */
export const leakLimitMs = 10_000
