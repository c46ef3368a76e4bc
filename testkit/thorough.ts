/** Runs every variant of what takes long. */
export const thorough = process.env.CI === 'true'

/** The reason for which a test that takes long is left out of a usual run. */
export const unlessThorough = thorough ? false : 'it takes long: CI=true npm test'
