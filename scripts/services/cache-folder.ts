import path from 'node:path'

/** What is downloaded, and what `npm run services up` started. Git ignores it. */
export const cacheFolder = path.resolve(import.meta.dirname, '../../.cache/services')
