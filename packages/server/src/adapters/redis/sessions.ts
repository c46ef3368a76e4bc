import type { PostId } from '../../domain/post-id.ts'
import { SESSIONS_MAX, type Session, type SessionPart } from '../../ports/feeds.ts'
import { type Commands, defineScript } from './commands.ts'
import type { Keys } from './keys.ts'

/** All ids have the same length, so that where one stands in their text tells its place. */
const ID_LENGTH = '3736512345678901234,'.length

/** Ids of one field: a page reads a field or two, and growing writes the last one again. */
const CHUNK = 1000

/** Holds the names of the sessions, the one made last first. */
const NAMES = 'names'

/** A session is a field of its length and last id, and fields of ids from 0 on. */
const FIELDS = `
local key = KEYS[1]
local function endOf(id) return redis.call('HGET', key, id .. '.end') or nil end
local function lengthOf(at) return at and tonumber(string.match(at, '^%d+')) or 0 end
local function chunkOf(id, place) return id .. '.' .. string.format('%d', math.floor(place / ${CHUNK})) end
`

/** ARGV: session or nothing, from, to. Answers session, length and last id, text of the part. */
const FIND = defineScript(`${FIELDS}
local id, from, to = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if id == '' then id = string.match(redis.call('HGET', key, '${NAMES}') or '', '^[^,]+') or '' end
local held = endOf(id)
if not held then return false end
local parts = {}
for start = from - from % ${CHUNK}, math.min(to, lengthOf(held)) - 1, ${CHUNK} do
  local text = redis.call('HGET', key, chunkOf(id, start)) or ''
  local first = math.max(from - start, 0) * ${ID_LENGTH} + 1
  parts[#parts + 1] = string.sub(text, first, (to - start) * ${ID_LENGTH})
end
return {id, held, table.concat(parts)}
`)

/** ARGV: session, its length, ids, ttl in ms, how many may be kept. */
const EXTEND = defineScript(`${FIELDS}
local id, length, ids = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local held = endOf(id)
if lengthOf(held) ~= length then return 0 end
local at = 1
while at <= string.len(ids) do
  local chunk, taken = chunkOf(id, length), length % ${CHUNK}
  local before = taken > 0 and redis.call('HGET', key, chunk) or ''
  local part = string.sub(ids, at, at + (${CHUNK} - taken) * ${ID_LENGTH} - 1)
  redis.call('HSET', key, chunk, before .. part)
  length, at = length + string.len(part) / ${ID_LENGTH}, at + string.len(part)
end
if ids ~= '' or not held then
  local last = string.sub(ids, -${ID_LENGTH}, -2)
  redis.call('HSET', key, id .. '.end', string.format('%d', length) .. ',' .. last)
end
if not held then
  local names, count = id, 1
  for name in string.gmatch(redis.call('HGET', key, '${NAMES}') or '', '[^,]+') do
    count = count + 1
    if count > tonumber(ARGV[5]) then
      for place = 0, lengthOf(endOf(name)), ${CHUNK} do redis.call('HDEL', key, chunkOf(name, place)) end
      redis.call('HDEL', key, name .. '.end')
    else
      names = names .. ',' .. name
    end
  end
  redis.call('HSET', key, '${NAMES}', names)
end
redis.call('PEXPIRE', key, ARGV[4])
return 1
`)

export interface RedisSessionsOptions {
  readonly commands: Commands
  readonly keys: Keys
  readonly ttlMs: number
}

/** Readers' frozen walks: a hash for each reader, so that all of one are together. */
export class RedisSessions {
  readonly #options: RedisSessionsOptions

  constructor(options: RedisSessionsOptions) {
    this.#options = options
  }

  async find(
    reader: number,
    id: string | null,
    { from, to }: SessionPart
  ): Promise<Session | null> {
    if (id === '') return null
    const { commands, keys } = this.#options
    const argv = [id ?? '', String(from), String(to)]
    const command = { key: keys.session(reader), script: FIND, argv }
    const reply = await commands.ask('session', command, { patient: false })
    if (reply === null) return null
    const [found = '', held = '', text = ''] = reply as readonly string[]
    const [length, last = ''] = held.split(',')
    const ids = text.split(',').slice(0, -1)
    return { id: found, length: Number(length), last: last === '' ? null : last, ids }
  }

  async extend(
    reader: number,
    id: string,
    length: number,
    ids: readonly PostId[]
  ): Promise<boolean> {
    const { commands, keys, ttlMs } = this.#options
    const text = ids.map(one => `${one},`).join('')
    const argv = [id, String(length), text, String(ttlMs), String(SESSIONS_MAX)]
    const command = { key: keys.session(reader), script: EXTEND, argv }
    return (await commands.ask('session', command, { patient: false })) === 1
  }
}
