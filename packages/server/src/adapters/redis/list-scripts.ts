import { defineScript } from './commands.ts'

/**
 * ARGV: token, ttl in ms. Begins a list that is cold: none, or neither marker nor in-time entry. 1 also when this
 * token has begun it before.
 */
export const BEGIN = defineScript(`
local key, mine = KEYS[1], 'b' .. ARGV[1]
local last = redis.call('LINDEX', key, -1)
if last then
  if last == mine then return 1 end
  local mark = string.sub(last, 1, 1)
  if mark == 'f' or mark == 'b' then return 0 end
  for _, entry in ipairs(redis.call('LRANGE', key, 0, -1)) do
    if string.sub(entry, 1, 1) ~= '-' then return 0 end
  end
  redis.call('DEL', key)
end
redis.call('RPUSH', key, mine)
redis.call('PEXPIRE', key, ARGV[2])
return 1
`)

/** ARGV: digest of the list as it was read, ttl in ms or nothing to keep what is left of it, entries. */
export const REPLACE = defineScript(`
local key = KEYS[1]
local before = redis.call('LRANGE', key, 0, -1)
if redis.sha1hex(table.concat(before, ' ')) ~= ARGV[1] then return 0 end
local ttl = ARGV[2]
if ttl == '' then ttl = redis.call('PTTL', key) end
redis.call('DEL', key)
for first = 3, #ARGV, 5000 do
  redis.call('RPUSH', key, unpack(ARGV, first, math.min(first + 4999, #ARGV)))
end
if #ARGV > 2 then redis.call('PEXPIRE', key, ttl) end
return 1
`)

/** ARGV: ttl in ms. Not while the list is being built. */
export const RENEW = defineScript(`
local last = redis.call('LINDEX', KEYS[1], -1)
if not last or string.sub(last, 1, 1) == 'b' then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[1])
`)

/** ARGV: index of the last entry to read. */
export const READ_HEAD = defineScript(`
local key = KEYS[1]
return {
  redis.call('LRANGE', key, 0, ARGV[1]),
  redis.call('LINDEX', key, -1),
  redis.call('LLEN', key),
  redis.call('PTTL', key)
}
`)
