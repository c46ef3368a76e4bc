import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const pollMs = 200
const beatMs = 1000
const deadAfterMs = 15_000 // without a beat the owner is gone: killed, or its machine was

/**
 * Runs one piece of work at a time among all processes that name the same file; the others wait.
 * The owner touches the file while it works, so that a killed owner's lock is taken over.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {() => void} [onWait] called once if another process holds the file
 * @returns {Promise<T>}
 * @throws {Error} if the file can't be made
 */
export async function withFileLock(file, work, onWait = () => {}) {
  const token = `${process.pid} ${Math.random()}`
  mkdirSync(path.dirname(file), { recursive: true })
  let taken = await take(file, token)
  if (!taken) onWait()
  while (!taken) {
    await sleep(pollMs)
    taken = await take(file, token)
  }
  const beat = setInterval(() => touch(file), beatMs)
  try {
    return await work()
  } finally {
    clearInterval(beat)
    if (owner(file) === token) rmSync(file, { force: true })
  }
}

/**
 * @param {string} file
 * @param {string} token
 */
async function take(file, token) {
  const orphaned = isOrphaned(file)
  if (orphaned) rmSync(file, { force: true })
  try {
    writeFileSync(file, token, { flag: 'wx' })
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  }
  // Another process may have seen the same orphan, and have removed this new file for it.
  if (orphaned) await sleep(2 * pollMs)
  return owner(file) === token
}

/** @param {string} file */
function isOrphaned(file) {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat !== undefined && Date.now() - stat.mtimeMs > deadAfterMs
}

/** @param {string} file */
function touch(file) {
  try {
    utimesSync(file, new Date(), new Date())
  } catch {
    // Taken over while this process was frozen: the work goes on, and npm's own checks remain.
  }
}

/** @param {string} file */
function owner(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
