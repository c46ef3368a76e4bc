import type { PostId } from '../../domain/post-id.ts'
import { SESSIONS_MAX, type Session } from '../../ports/feeds.ts'
import { type Commands, defineScript } from './commands.ts'
import type { Keys } from './keys.ts'

/** All ids have the same length, so that of their text tells how many there are. */
const ID_LENGTH = '3736512345678901234,'.length

/** Holds the names of the sessions, the one made last first; no session is called so. */
const NAMES = 'names'

/** ARGV: session, length of its text, ids, ttl in ms, how many may be kept. One field holds one session. */
const EXTEND = defineScript(`
local key, id = KEYS[1], ARGV[1]
local held = redis.call('HGET', key, id)
if string.len(held or '') ~= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', key, id, (held or '') .. ARGV[3])
if not held then
  local names, count = id, 1
  for name in string.gmatch(redis.call('HGET', key, '${NAMES}') or '', '[^,]+') do
    count = count + 1
    if count > tonumber(ARGV[5]) then
      redis.call('HDEL', key, name)
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

  async find(reader: number, id: string | null): Promise<Session | null> {
    const wanted = id ?? (await this.#field(reader, NAMES))?.split(',')[0]
    if (wanted === undefined || wanted === NAMES) return null
    const text = await this.#field(reader, wanted)
    return text === null ? null : { id: wanted, ids: text.split(',').slice(0, -1) }
  }

  async extend(
    reader: number,
    id: string,
    length: number,
    ids: readonly PostId[]
  ): Promise<boolean> {
    const { commands, keys, ttlMs } = this.#options
    const text = ids.map(one => `${one},`).join('')
    const argv = [id, String(length * ID_LENGTH), text, String(ttlMs), String(SESSIONS_MAX)]
    const command = { key: keys.session(reader), script: EXTEND, argv }
    return (await commands.ask('session', command, { patient: false })) === 1
  }

  async #field(reader: number, name: string): Promise<string | null> {
    const key = this.#options.keys.session(reader)
    const command = { key, args: () => ['HGET', key, name] }
    const reply = await this.#options.commands.ask('session', command, { patient: false })
    return reply as string | null
  }
}
