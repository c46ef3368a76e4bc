import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { endProcess, identify, isAlive, type ProcessId, sendSignal } from './end-process.ts'
import { lastLines } from './run-command.ts'
import type { Server } from './server.ts'
import { waitUntil } from './wait-until.ts'

export interface ChildServerOptions {
  name: string
  port: number
  folder: string
  /** The folder is somewhere in it, so that a person sees whose process it is. */
  command: readonly [string, ...string[]]
  env?: Readonly<Record<string, string>>
  /** Whether it serves; a failure is a no. */
  isReady: () => Promise<boolean>
  readyMs: number
}

/** A server that is a plain child process, in a process group of its own. */
export class ChildServer implements Server {
  readonly name: string
  readonly port: number
  readonly folder: string
  readonly logFile: string
  readonly stopSignal = 'SIGTERM'
  readonly #options: ChildServerOptions
  #process: ProcessId | undefined

  constructor(options: ChildServerOptions) {
    this.name = options.name
    this.port = options.port
    this.folder = options.folder
    this.logFile = path.join(options.folder, 'server.log')
    this.#options = options
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  async start(): Promise<void> {
    if (this.#process !== undefined && isAlive(this.#process)) return
    const child = await this.#spawn()
    this.#process = identify(child.pid as number)
    await writeFile(pidFile(this.folder), `${child.pid}`)
    const { isReady, readyMs } = this.#options
    const ended = () => child.exitCode !== null || child.signalCode !== null
    const ready = await waitUntil(async () => ended() || (await isReady()), readyMs)
    if (ready && !ended()) return
    await this.kill()
    throw new Error(await this.#whyNot(child, ready))
  }

  async #spawn(): Promise<ChildProcess> {
    await mkdir(this.folder, { recursive: true })
    await using log = await open(this.logFile, 'a')
    const [file, ...args] = this.#options.command
    const child = spawn(file, args, {
      cwd: this.folder,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: { ...process.env, ...this.#options.env }
    })
    child.unref()
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve).once('error', reject)
    })
    return child
  }

  async #whyNot(child: ChildProcess, ended: boolean): Promise<string> {
    const how = ended
      ? `ended with ${child.signalCode ?? `code ${child.exitCode}`}`
      : `did not answer within ${this.#options.readyMs / 1000} s`
    const log = await readFile(this.logFile, 'utf8').catch(() => '')
    return `${this.name} ${how}. The end of ${this.logFile}:\n${lastLines(log)}`
  }

  async stop(): Promise<void> {
    if (this.#process !== undefined) await endProcess(this.#process, this.stopSignal)
    await rm(pidFile(this.folder), { force: true })
  }

  async kill(): Promise<void> {
    if (this.#process !== undefined) await endProcess(this.#process, 'SIGKILL')
    await rm(pidFile(this.folder), { force: true })
  }

  pause(): void {
    if (this.#process !== undefined) sendSignal(this.#process, 'SIGSTOP')
  }

  resume(): void {
    if (this.#process !== undefined) sendSignal(this.#process, 'SIGCONT')
  }
}

/** Where a running server's pid is found by what ends it after a crash of its starter. */
export function pidFile(folder: string): string {
  return path.join(folder, 'server.pid')
}
