import { defineScript } from './commands.ts'

/**
 * A sorted set holds ids by negative ms, so newest first is plain order, and last of all (score +inf) a marker:
 * `f<floor>` or `b<token>`. Without a marker it is cold. Within one ms members ascend: ids there stand oldest first.
 */
const LIBRARY = `
local key = KEYS[1]
local function marker()
  return redis.call('ZRANGE', key, -1, -1)[1]
end
local function mark(text)
  return text and string.sub(text, 1, 1)
end
-- Keeps the newest cap ids; the highest that goes is the floor, unless the floor is higher already.
local function trim(cap, last)
  local over = redis.call('ZRANGE', key, cap, cap, 'WITHSCORES')
  if not over[1] or over[1] == last then return end
  local score = over[2]
  local newer = redis.call('ZCOUNT', key, '-inf', '(' .. score)
  local same = redis.call('ZCOUNT', key, score, score)
  local gone = same - (cap - newer)
  local highest = redis.call('ZRANGE', key, newer + gone - 1, newer + gone - 1)[1]
  local floor = string.sub(last, 2)
  redis.call('ZREMRANGEBYRANK', key, newer + same, -1)
  redis.call('ZREMRANGEBYRANK', key, newer, newer + gone - 1)
  if mark(last) == 'f' and highest > floor then floor = highest end
  redis.call('ZADD', key, '+inf', string.sub(last, 1, 1) .. floor)
end
local function add(from)
  for first = from, #ARGV, 5000 do
    redis.call('ZADD', key, unpack(ARGV, first, math.min(first + 4999, #ARGV)))
  end
end
`

/** ARGV: cap, slack, then score and id by turns. The number of members, or 0 when there is none to add to. */
export const PUSH = defineScript(`${LIBRARY}
local cap = tonumber(ARGV[1])
local last = marker()
local kind = mark(last)
if kind ~= 'f' and kind ~= 'b' then return 0 end
add(3)
local members = redis.call('ZCARD', key)
if kind == 'f' and members > cap + tonumber(ARGV[2]) + 1 then trim(cap, last) end
return members
`)

/** ARGV: token, ttl in ms. */
export const BEGIN = defineScript(`${LIBRARY}
local mine = 'b' .. ARGV[1]
local last = marker()
if last == mine then return 1 end
if mark(last) == 'f' or mark(last) == 'b' then return 0 end
redis.call('DEL', key)
redis.call('ZADD', key, '+inf', mine)
redis.call('PEXPIRE', key, ARGV[2])
return 1
`)

/** ARGV: token, ttl in ms, cap, floor or nothing when the list claims nothing, then score and id by turns. */
export const FINISH = defineScript(`${LIBRARY}
local last = marker()
if last ~= 'b' .. ARGV[1] then return 0 end
if ARGV[4] == '' then
  redis.call('DEL', key)
  return 1
end
local floor = 'f' .. ARGV[4]
redis.call('ZREM', key, last)
redis.call('ZADD', key, '+inf', floor)
add(5)
trim(tonumber(ARGV[3]), floor)
redis.call('PEXPIRE', key, ARGV[2])
return 1
`)

/** ARGV: ttl in ms. Not while it is being built. */
export const RENEW = defineScript(`${LIBRARY}
if mark(marker()) ~= 'f' then return 0 end
return redis.call('PEXPIRE', key, ARGV[1])
`)

/** ARGV: the lowest score, how many members. */
export const READ = defineScript(`
local key = KEYS[1]
return {
  redis.call('ZRANGE', key, ARGV[1], '+inf', 'BYSCORE', 'LIMIT', 0, ARGV[2]),
  redis.call('ZRANGE', key, -1, -1),
  redis.call('PTTL', key)
}
`)
