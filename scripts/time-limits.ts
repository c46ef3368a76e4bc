const minute = 60_000
const ci = process.env.CI === 'true'

/** A test file over this is ended, and counts as failed. */
export const fileLimitMs = (ci ? 10 : 3) * minute

/** A run over this is ended. */
export const runLimitMs = (ci ? 60 : 15) * minute

/** A file that still holds something open this long after its last test leaks, and counts as failed. */
export const leakLimitMs = 10_000
