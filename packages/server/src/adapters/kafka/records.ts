import type { RecordsBatch } from '@platformatic/kafka'
import { eventKey, type FeedEvent, type LoggedEvent } from '../../domain/event.ts'
import { LANES, laneOfAuthor } from '../../domain/post-id.ts'

/** A record of the topic: its event, or why it is none. */
export interface Entry {
  readonly offset: bigint
  readonly event: LoggedEvent | null
  readonly reason: string
  readonly raw: RawRecord
}

export interface RawRecord {
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly (readonly [Buffer | null, Buffer | null])[]
}

/** The fields of each kind of event beside its type. */
const fields: Readonly<Record<FeedEvent['type'], readonly string[]>> = {
  post: ['author', 'post'],
  edit: ['author', 'post'],
  delete: ['author', 'post'],
  relation: ['author', 'reader'],
  rules: ['reader'],
  user: ['author']
}

const CONTROL = 1 << 5

/** The records of batches from `from` on, in order; a batch may begin before it. */
export function entriesOf(batches: readonly RecordsBatch[], from: bigint): Entry[] {
  const entries: Entry[] = []
  for (const batch of batches) {
    if ((batch.attributes & CONTROL) !== 0) continue
    for (const record of batch.records) {
      const offset = batch.firstOffset + BigInt(record.offsetDelta)
      if (offset >= from) entries.push(entryOf(offset, record))
    }
  }
  return entries
}

/** The offset behind the last record of batches, control records and compacted ones included. */
export function endOf(batches: readonly RecordsBatch[], from: bigint): bigint {
  const last = batches.at(-1)
  if (last === undefined) return from
  const end = last.firstOffset + BigInt(last.lastOffsetDelta) + 1n
  return end > from ? end : from
}

function entryOf(offset: bigint, raw: RawRecord): Entry {
  try {
    const event = { ...decode(raw), offset: String(offset) }
    return { offset, event, reason: '', raw }
  } catch (error) {
    return { offset, event: null, reason: String(error), raw }
  }
}

/** @throws TypeError or SyntaxError when the record holds no event. */
export function decode({ value, headers }: RawRecord): LoggedEvent {
  if (value === null) throw new TypeError('the record has no value')
  const event: unknown = JSON.parse(value.toString())
  if (!isEvent(event)) throw new TypeError('the value is not an event')
  const id = header(headers, 'id')
  if (id === undefined || id === '') throw new TypeError('the header id is missing')
  const lane = Number(header(headers, 'lane') ?? laneOfAuthor(eventKey(event)))
  if (!Number.isInteger(lane) || lane < 0 || lane >= LANES) {
    throw new TypeError(`lane ${lane} is outside 0..${LANES - 1}`)
  }
  return { id, lane, event }
}

function isEvent(value: unknown): value is FeedEvent {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  const names = Object.hasOwn(fields, String(value.type))
    ? fields[value.type as FeedEvent['type']]
    : undefined
  return names?.every(name => isField(name, Reflect.get(value, name))) === true
}

/** Users are numbers; a post id is the decimal text of 64 bits. */
function isField(name: string, value: unknown): boolean {
  if (name === 'post') return typeof value === 'string' && /^[0-9]{1,20}$/.test(value)
  return Number.isSafeInteger(value)
}

export function header(headers: RawRecord['headers'], name: string): string | undefined {
  return headers.find(([key]) => key?.toString() === name)?.[1]?.toString()
}

/** An event as its record: the key is the user whose events stay in order. */
export function encode({ id, lane, event }: LoggedEvent) {
  return {
    key: Buffer.from(String(eventKey(event))),
    value: Buffer.from(JSON.stringify(event)),
    headers: new Map([
      [Buffer.from('id'), Buffer.from(id)],
      [Buffer.from('lane'), Buffer.from(String(lane))]
    ])
  }
}
