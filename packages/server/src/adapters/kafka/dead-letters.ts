import type { Settings } from './options.ts'
import type { Entry } from './records.ts'

/** A record that holds no event, as it is kept: key, value and headers as they were, and where and why. */
export function buried({ topic, deadTopic }: Settings, partition: number, entry: Entry) {
  const { key, value, headers } = entry.raw
  const kept = new Map(
    headers.map(([name, text]) => [name ?? Buffer.alloc(0), text ?? Buffer.alloc(0)] as const)
  )
  const added = { reason: entry.reason, topic, partition, offset: entry.offset }
  for (const [name, text] of Object.entries(added)) {
    kept.set(Buffer.from(`dead-${name}`), Buffer.from(String(text)))
  }
  return {
    topic: deadTopic,
    key: key ?? Buffer.alloc(0),
    value: value ?? Buffer.alloc(0),
    headers: kept
  }
}
