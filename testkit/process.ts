// A server as a process of its own on the bundled PostgreSQL, and the command line beside it.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { FanwiseAdmin } from '@fanwise/sdk'
import {
  findPostmaster,
  stopPostmaster
} from '../packages/server/src/adapters/postgres/bundled/postmaster.ts'
import { freePorts } from '../scripts/services/free-ports.ts'
import { endWithProcess } from './end-with-process.ts'

const MAIN = path.resolve(import.meta.dirname, '../packages/server/src/main.ts')

export interface Place {
  /** FANWISE_DATA_DIR; PostgreSQL's user can reach it. */
  readonly dataDir: string
  readonly folder: string
  readonly port: number
  readonly env: Readonly<Record<string, string>>
}

/** A data folder that goes when the test ends, with what still runs on it. */
export async function testPlace(t: TestContext, env: Record<string, string> = {}): Promise<Place> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fanwise-e2e-'))
  await chmod(folder, 0o755)
  endWithProcess(folder)
  const dataDir = path.join(folder, 'data')
  t.after(async () => {
    const left = await findPostmaster(path.join(dataDir, 'postgres/postgres/cluster'))
    if (left !== undefined) await stopPostmaster(left.pid)
    await rm(folder, { recursive: true, force: true })
  })
  return { dataDir, folder, port: await freePort(), env }
}

/** A command of `fanwise` that runs until it is told to end. */
export function spawnFanwise(place: Place, ...args: string[]) {
  return spawn(process.execPath, ['--conditions=source', MAIN, ...args], {
    env: environment(place),
    stdio: ['ignore', 'pipe', 'pipe']
  })
}

export interface RunningServer {
  readonly url: string
  readonly child: ChildProcess
  /** What it has printed. */
  output(): string
  /** With the secrets that the server made. */
  admin(): Promise<FanwiseAdmin>
  /** kill -9 of this process alone. */
  kill(): Promise<void>
  /** SIGTERM; fails unless it ends with code 0. */
  stop(): Promise<void>
}

/** Starts `fanwise start`, or another command that serves, and waits until it answers. */
export async function startProcess(
  t: TestContext,
  place: Place,
  command = 'start',
  ...args: string[]
): Promise<RunningServer> {
  const child = spawnFanwise(place, command, ...args)
  let output = ''
  child.stdout.on('data', chunk => (output += chunk))
  child.stderr.on('data', chunk => (output += chunk))
  t.after(() => void child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${place.port}`
  await untilReady(child, url, () => output)
  return {
    url,
    child,
    output: () => output,
    async admin() {
      const secrets = await readFile(path.join(place.dataDir, 'secrets.json'), 'utf8')
      const { serverKey } = JSON.parse(secrets) as { serverKey: string }
      return new FanwiseAdmin({ url, serverKey, timeoutMs: 120_000, retries: 0 })
    },
    async kill() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = await ended
      assert.equal(code, 0, output)
    }
  }
}

export interface CliResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command of `fanwise` to its end. */
export function runCli(place: Place, ...args: string[]): Promise<CliResult> {
  return new Promise(resolve => {
    const options = { env: environment(place), maxBuffer: 64 * 2 ** 20 }
    execFile(
      process.execPath,
      ['--conditions=source', MAIN, ...args],
      options,
      (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? 1)
        resolve({ code, stdout, stderr })
      }
    )
  })
}

/** The one JSON object that a command printed. */
export async function cliJson(place: Place, ...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCli(place, '--json', ...args)
  assert.ok(stdout.startsWith('{'), `code ${code}: ${stderr}`)
  return JSON.parse(stdout) as Record<string, unknown>
}

function environment(place: Place): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    FANWISE_DATA_DIR: place.dataDir,
    FANWISE_PORT: String(place.port),
    FANWISE_LOG_LEVEL: 'warn',
    ...place.env
  }
}

async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port ?? 0
}

async function untilReady(child: ChildProcess, url: string, output: () => string): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if (child.exitCode !== null) throw new Error(`the server ended:\n${output()}`)
    const ready = await fetch(`${url}/readyz`).then(
      answer => answer.ok,
      () => false
    )
    if (ready) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  throw new Error(`the server is not ready after 60 s:\n${output()}`)
}
