import { defineScript } from './commands.ts'

/**
 * ARGV: ttl in ms, message. Numbers a message and publishes it, as one: whoever listens sees each number follow the
 * one before. A count that was lost goes on with the time in us, far from any number there was.
 */
export const PUBLISH = defineScript(`#!lua flags=allow-oom
local key = KEYS[1]
if redis.call('EXISTS', key) == 0 then
  local time = redis.call('TIME')
  redis.call('SET', key, time[1] .. string.format('%06d', time[2]))
end
local number = redis.call('INCR', key)
redis.call('PEXPIRE', key, ARGV[1])
redis.call('SPUBLISH', key, string.format('%.0f', number) .. ' ' .. ARGV[2])
return number
`)
