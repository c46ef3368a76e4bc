// Makes node_modules what package-lock.json says, once, however many starts ask for it.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { withFileLock } from './file-lock.mjs'

/**
 * @typedef {{ version?: string, integrity?: string, resolved?: string, link?: boolean,
 *   optional?: boolean, dev?: boolean, devOptional?: boolean }} Locked
 * @typedef {{ packages?: Record<string, Locked> }} Lock
 */

/**
 * Whether an installation holds what a lock file asks for. Optional packages may be missing: most of
 * them are another platform's.
 * @param {Lock} wanted package-lock.json
 * @param {Lock} installed node_modules/.package-lock.json, which npm writes as its last step
 * @param {{ development: boolean }} needs development packages may be missing otherwise
 */
export function isInstalled(wanted, installed, { development }) {
  const all = Object.entries(wanted.packages ?? {}).filter(([at]) => at.startsWith('node_modules/'))
  return all.every(([at, want]) => {
    const have = installed.packages?.[at]
    if (have !== undefined) return isSame(want, have)
    const spare = want.dev === true || want.devOptional === true
    return want.optional === true || (spare && !development)
  })
}

/**
 * @param {Locked} want
 * @param {Locked} have
 */
function isSame(want, have) {
  if (want.link === true) return have.link === true && have.resolved === want.resolved
  return have.version === want.version && have.integrity === want.integrity
}

/**
 * @param {string} file
 * @returns {Lock} empty if there is no such file, or half of one
 */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

/**
 * @param {string} root folder of package-lock.json
 * @param {{ development: boolean }} needs
 * @throws {Error} with a message for the person at the terminal
 */
export async function ensureInstalled(root, needs) {
  const wanted = readLock(path.join(root, 'package-lock.json'))
  if (wanted.packages === undefined) throw new Error(`${root}/package-lock.json is not readable.`)
  const hidden = path.join(root, 'node_modules', '.package-lock.json')
  const complete = () => isInstalled(wanted, readLock(hidden), needs)
  if (complete()) return
  const install = async () => {
    if (complete()) return // another start has installed meanwhile
    say('Installing the dependencies into node_modules (once; it takes about a minute) ...')
    await runNpm(root)
    say('Dependencies installed.')
  }
  const lock = path.join(root, '.cache', 'install.lock')
  try {
    await withFileLock(lock, install, () => say('Waiting for another start, which installs ...'))
  } catch (error) {
    throw new Error(adviceAfter(error instanceof Error ? error.message : String(error)))
  }
}

/** @param {string} line goes to stderr: stdout is the program's that starts afterwards */
function say(line) {
  process.stderr.write(`${line}\n`)
}

/**
 * @param {string} root
 * @returns {Promise<void>} rejects if npm could not be started or failed
 */
function runNpm(root) {
  const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit']
  const quiet = ['--no-fund', '--no-progress', '--loglevel=error']
  const [command, ...first] = npmCommand()
  const child = spawn(command, [...first, ...args, ...quiet], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32' && first.length === 0
  })
  return new Promise((resolve, reject) => {
    child.on('error', error => reject(new Error(`npm could not be started (${error.message})`)))
    child.on('exit', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`npm ci ended with ${signal ?? `exit code ${code}`}, see above`))
    })
  })
}

/**
 * The npm that runs this script, if one does, by the Node that runs that npm: the Node inside
 * node_modules is about to be replaced.
 * @returns {[string, ...string[]]}
 */
function npmCommand() {
  const { npm_execpath: npm = '', npm_node_execpath: node = process.execPath } = process.env
  return path.basename(npm) === 'npm-cli.js' ? [node, npm] : ['npm']
}

/** @param {string} failure */
function adviceAfter(failure) {
  return `
The dependencies could not be installed: ${failure}

- no network, or a proxy or registry of your own?   npm config get registry; npm ping
- no permission to write in this folder or in npm's cache?   ls -ld . node_modules; npm config get cache
- then install by hand and start again:   npm ci --ignore-scripts`
}
