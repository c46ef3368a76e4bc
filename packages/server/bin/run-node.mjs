import { spawn } from 'node:child_process'
import { isatty } from 'node:tty'
import { noNode } from './find-node.mjs'

/** Node's options for running the TypeScript sources of a checkout. */
export const sourceOptions = ['--conditions=source', '--disable-warning=ExperimentalWarning']

/** @type {readonly NodeJS.Signals[]} A terminal sends these to its whole foreground group. */
const fromTerminal = ['SIGINT', 'SIGHUP']

/** Within this time a repeated signal is the same one, come on a second way (npm passes it on, too). */
const sameSignalMs = 1000

/**
 * Passes each signal on to the child once. At a terminal the child has its own SIGINT and SIGHUP.
 * @param {import('node:child_process').ChildProcess} child
 */
function forwardSignals(child) {
  const atTerminal = [0, 1, 2].some(isatty)
  /** @type {readonly NodeJS.Signals[]} */
  const signals = ['SIGTERM', ...fromTerminal]
  for (const signal of signals) {
    let sentAt = Number.NEGATIVE_INFINITY
    process.on(signal, () => {
      if (atTerminal && fromTerminal.includes(signal)) return
      if (performance.now() - sentAt < sameSignalMs) return
      sentAt = performance.now()
      child.kill(signal)
    })
  }
}

/**
 * Runs a Node as a child with this process's standard streams, and ends as it ends: with its exit
 * code or by its signal.
 * @param {string} node path of the binary
 * @param {readonly string[]} args
 */
export function runNode(node, args) {
  const child = spawn(node, args, { stdio: 'inherit' })
  forwardSignals(child)
  child.on('error', error => {
    process.stderr.write(`${noNode(process.version, `${node}: ${error.message}`)}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
