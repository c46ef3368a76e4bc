// Redis servers of a test's own, which it may kill, and what is done to the keys of one that others use too.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { createClient } from 'redis'
import { findProgram } from '../scripts/services/find-program.ts'
import { startRedis as startServer } from '../scripts/services/redis.ts'
import {
  type RedisClusterOptions,
  startRedisCluster as startCluster
} from '../scripts/services/redis-cluster.ts'
import { askRedis } from '../scripts/services/redis-server.ts'
import type { Service } from '../scripts/services/service.ts'

/** Why tests can't start a Redis, for the `skip` of a test; false with CI=true, where it is installed. */
export function withoutRedis(): string | false {
  const found = findProgram('redis-server') ?? findProgram('valkey-server')
  if (found !== undefined || process.env.CI === 'true') return false
  return 'there is no redis-server or valkey-server in PATH'
}

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fanwise-redis-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function ends(t: TestContext, service: Service): Service {
  t.after(() => Promise.all(service.servers.map(server => server.kill())))
  return service
}

/** One server, which ends with the test. */
export async function startRedis(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {}
): Promise<Service> {
  const folder = await folderOf(t)
  return ends(t, await startServer(folder, settings))
}

/** Three masters, and as many replicas if asked for. */
export async function startRedisCluster(
  t: TestContext,
  options: RedisClusterOptions = {}
): Promise<Service> {
  const folder = await folderOf(t)
  return ends(t, await startCluster(folder, options))
}

/** Whatever a server of 127.0.0.1 answers. */
export function ask(url: string, ...command: string[]): Promise<unknown> {
  return askRedis(Number(new URL(url).port), ...command)
}

const AGE = `
local keys = redis.call('KEYS', ARGV[1])
for _, key in ipairs(keys) do
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, math.max(0, left - tonumber(ARGV[2]))) end
end
return #keys
`

export interface KeyTime {
  /** Lets time go by for all keys that fit. */
  age(ms: number): Promise<void>
}

/** The lives of keys that fit a pattern, on each server. When the test ends, they are over. */
export async function keyTime(
  t: TestContext,
  urls: readonly string[],
  pattern: string
): Promise<KeyTime> {
  const clients = urls.map(url => createClient({ url, disableClientInfo: true }))
  await Promise.all(clients.map(client => client.connect()))
  const age = async (ms: number) => {
    const args = ['EVAL', AGE, '0', pattern, String(Math.round(ms))]
    await Promise.all(clients.map(client => client.sendCommand(args)))
  }
  t.after(async () => {
    await age(2 ** 45)
    for (const client of clients) client.destroy()
  })
  return { age }
}
