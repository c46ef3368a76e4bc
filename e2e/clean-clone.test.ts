// What somebody does first: clone, install, start. With the Node and npm that the machine has, not with this one.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test, { type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { FanwiseAdmin } from '@fanwise/sdk'

const run = promisify(execFile)
const ROOT = path.resolve(import.meta.dirname, '..')
const READY_MS = 60_000
const DEMO_MS = 30_000

/** A home of mode 700, and in it what the last commit holds. */
async function cloneFor(t: TestContext, ids: { uid: number; gid: number } | undefined) {
  const base = await mkdtemp(path.join(tmpdir(), 'fanwise-clone-'))
  t.after(() => rm(base, { recursive: true, force: true }))
  await chmod(base, 0o755)
  const home = path.join(base, 'home')
  await mkdir(home, { mode: 0o700 })
  if (ids !== undefined) await chown(home, ids.uid, ids.gid)
  const folder = path.join(home, 'fanwise')
  await run('git', ['-c', 'safe.directory=*', 'clone', '--quiet', '--no-hardlinks', ROOT, folder])
  if (ids !== undefined) await run('chown', ['-R', `${ids.uid}:${ids.gid}`, folder])
  return { home, folder, person: { ...ids, env: environment(home, ids !== undefined) } }
}

/** As in a fresh shell: nothing of this run of npm, and of this project no binaries. */
function environment(home: string, ownCache: boolean): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_registry)|NODE_|FANWISE_|DATABASE_URL$|CI$)/.test(name)
  )
  const PATH = (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter(folder => !folder.includes('node_modules'))
    .join(path.delimiter)
  const cache = ownCache ? {} : { npm_config_cache: path.join(process.env.HOME ?? home, '.npm') }
  return { ...Object.fromEntries(kept), ...cache, PATH, HOME: home }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

/** Collects what a process prints; the returned function resolves once all of `texts` are there. */
function listenTo(child: ChildProcess) {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', part => (output += part))
  return async (limitMs: number, texts: readonly string[]): Promise<void> => {
    const signal = AbortSignal.timeout(limitMs)
    while (!texts.every(text => output.includes(text))) {
      assert.ok(child.stdout && child.exitCode === null, output)
      await once(child.stdout, 'data', { signal }).catch(() => assert.fail(`too late:\n${output}`))
    }
  }
}

/** Processes that work in a folder, or were started from it; empty where there is no /proc. */
async function processesIn(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async pid => {
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '')
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      return cwd.startsWith(folder) || command.includes(folder) ? [`${pid} ${command}`] : []
    })
  )
  return found.flat()
}

async function assertDemo(url: string): Promise<void> {
  const page = await fetch(`${url}/`)
  assert.equal(page.status, 200)
  assert.match(await page.text(), /<html/i)
}

async function firstRun(t: TestContext, ids?: { uid: number; gid: number }): Promise<void> {
  const { folder, person } = await cloneFor(t, ids)
  const options = { cwd: folder, ...person }
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = { ...person.env, FANWISE_PORT: String(port) }
  const child = spawn('npm', ['start'], { ...options, env, detached: true })
  t.after(() => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  })
  const printed = listenTo(child)
  await printed(READY_MS, ['Fanwise is ready.', `${url}/v1`, `${url}/docs`])
  await assertDemo(url)
  const began = performance.now()
  await printed(DEMO_MS, ['The demo is loaded'])
  t.diagnostic(`demo loaded ${Math.round(performance.now() - began)} ms after the server was ready`)
  await assertFeed(folder, url)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  assert.deepEqual(await processesIn(folder), [])
  await assert.rejects(fetch(url), 'nobody listens any more')
}

/** Somebody of the demo has a feed. */
async function assertFeed(folder: string, url: string): Promise<void> {
  const secrets = await readFile(path.join(folder, '.fanwise/secrets.json'), 'utf8')
  const { serverKey } = JSON.parse(secrets) as { serverKey: string }
  const admin = new FanwiseAdmin({ url, serverKey })
  const [person] = (await admin.users({ limit: 1 })).items
  const { items } = await admin.as(person?.id ?? '').feed()
  assert.equal(items.length, 20)
}

test('npm ci --ignore-scripts and npm start in a clean clone show a demo feed', t => firstRun(t))

const root = process.getuid?.() === 0

test('the same as an ordinary user with a home and an npm cache of their own', {
  skip: root || process.env.CI ? false : 'this is an ordinary user already'
}, async t => {
  if (!root) return firstRun(t)
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async flag => Number((await run('id', [flag, 'nobody'])).stdout))
  )
  await firstRun(t, { uid: uid ?? 65_534, gid: gid ?? 65_534 })
})
