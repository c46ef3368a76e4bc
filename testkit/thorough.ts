/** Runs every variant of what takes long. */
export const thorough = process.env.CI === 'true'
