// What the tests of the bundled PostgreSQL share: folders that leave nothing behind, and servers that can be killed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { BundledPostgresOptions } from '../packages/server/src/adapters/postgres/bundled/index.ts'
import {
  findPostmaster,
  stopPostmaster
} from '../packages/server/src/adapters/postgres/bundled/postmaster.ts'
import { endWithProcess } from './end-with-process.ts'

export interface TestFolder extends AsyncDisposable {
  dir: string
  /** A data folder and a system folder in it; without fsync, for speed. */
  options: { dataDir: string; systemDir: string; settings: Record<string, string> }
}

/** A folder that any user may enter. What still runs in it is stopped when it goes, or when this process ends. */
export async function testFolder(): Promise<TestFolder> {
  const dir = await mkdtemp(path.join(tmpdir(), 'fanwise-bundled-'))
  await chmod(dir, 0o755)
  endWithProcess(dir)
  return {
    dir,
    options: {
      dataDir: path.join(dir, 'data'),
      systemDir: path.join(dir, 'system'),
      settings: { fsync: 'off' }
    },
    async [Symbol.asyncDispose]() {
      for (const file of globSync('**/cluster/postmaster.pid', { cwd: dir })) {
        const left = await findPostmaster(path.join(dir, path.dirname(file)))
        if (left !== undefined) await stopPostmaster(left.pid)
      }
      await openFolders(dir)
      await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 })
    }
  }
}

/** Folders that a test closed for writing are opened again: an ordinary user could not empty them. */
async function openFolders(dir: string): Promise<void> {
  await chmod(dir, 0o755)
  for (const entry of await readdir(dir, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(path.join(dir, entry.name))
}

/** What a server process answered: a running PostgreSQL or the error. */
export interface Answer {
  url?: string
  pid?: number
  user?: string
  dataDir?: string
  binDir?: string
  relocated?: boolean
  notes?: string[]
  error?: { code?: string; message: string; owner?: { pid: number; port?: number } }
}

export interface ServerProcess extends AsyncDisposable {
  pid: number
  answer: Answer
  /** kill -9 of this one process. */
  kill(): Promise<void>
}

export interface ServeOptions extends BundledPostgresOptions {
  /** The HTTP port that it claims to have. */
  httpPort?: number
  /** The uid and gid that the process takes before it starts; root only. */
  become?: number
}

const script = path.join(import.meta.dirname, 'serve-postgres.ts')

/** Starts a process that runs the bundled PostgreSQL, without waiting for it. */
export function spawnServer(options: ServeOptions) {
  const args = [...process.execArgv, script, JSON.stringify(options)]
  return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
}

/** Runs the bundled PostgreSQL in a process of its own, and waits for its answer. */
export async function serveInProcess(options: ServeOptions): Promise<ServerProcess> {
  const child = spawnServer(options)
  const closed = once(child, 'close')
  let answer: Answer | undefined
  for await (const line of createInterface(child.stdout)) {
    answer = JSON.parse(line) as Answer
    break
  }
  assert.ok(answer, 'the process ended without an answer')
  return {
    pid: child.pid as number,
    answer,
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await closed
    }
  }
}
