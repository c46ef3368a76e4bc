import type { FeedsStats } from '../../ports/feeds.ts'
import { failureOf } from './failure.ts'
import { scan } from './guard.ts'
import type { Keys } from './keys.ts'
import type { Link, Reply } from './link.ts'

/** Keys looked at on one server; what there is more is reckoned from them. */
const SAMPLE_MAX = 2000

/** What one server holds: counted when it is little, else reckoned from a sample. */
export async function measure(
  link: Pick<Link, 'send'>,
  keys: Keys,
  kind: 'list' | 'zset'
): Promise<FeedsStats> {
  const { found, cursor } = await sample(link, keys)
  const lists = found.filter(keys.isList)
  const looks = lists.map(key => look(link, key, kind))
  const all = await Promise.all(looks)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const warm = sum(all.map(({ warm }) => Number(warm)))
  const bytes = sum(all.map(({ bytes }) => bytes))
  if (cursor === '0' || found.length === 0) return { warm, bytes }
  const factor = Number(await link.send(['DBSIZE'])) / found.length
  return { warm: Math.round(warm * factor), bytes: Math.round(bytes * factor) }
}

async function sample(link: Pick<Link, 'send'>, keys: Keys) {
  const found: string[] = []
  let cursor = '0'
  do {
    const step = await scan(link, keys, cursor)
    cursor = step.cursor
    found.push(...step.keys)
  } while (cursor !== '0' && found.length < SAMPLE_MAX)
  return { found, cursor }
}

async function look(link: Pick<Link, 'send'>, key: string, kind: 'list' | 'zset') {
  const last = kind === 'list' ? ['LINDEX', key, '-1'] : ['ZRANGE', key, '-1', '-1']
  const [entry, bytes] = await Promise.all([
    link.send(last).catch(unlessOfOtherKind),
    link.send(['MEMORY', 'USAGE', key])
  ])
  return { warm: isWarm(entry ?? null), bytes: Number(bytes ?? 0) }
}

/** A list that was made under another FANWISE_FEEDS is as good as none. */
function unlessOfOtherKind(error: unknown): null {
  if (failureOf(error).kind === 'othertype') return null
  throw error
}

function isWarm(entry: Reply): boolean {
  const text = Array.isArray(entry) ? entry[0] : entry
  return typeof text === 'string' && !text.startsWith('b')
}
