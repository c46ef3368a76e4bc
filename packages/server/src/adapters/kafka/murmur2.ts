const SEED = 0x9747b28c
const MIX = 0x5bd1e995

/** The 32-bit hash by which Kafka's Java clients and Kafka Connect choose the partition of a key. */
export function murmur2(data: Uint8Array): number {
  const { length } = data
  const tail = length & ~3
  let hash = SEED ^ length
  for (let i = 0; i < tail; i += 4) {
    hash = Math.imul(hash, MIX) ^ scramble(wordAt(data, i))
  }
  if (tail < length) hash = Math.imul(hash ^ wordAt(data, tail), MIX)
  hash = Math.imul(hash ^ (hash >>> 13), MIX)
  return hash ^ (hash >>> 15)
}

/** The partition of a key among `partitions`, as the Java client's default partitioner chooses it. */
export function partitionOf(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions
}

function scramble(word: number): number {
  const mixed = Math.imul(word, MIX)
  return Math.imul(mixed ^ (mixed >>> 24), MIX)
}

/** Little-endian; bytes behind the end count as 0. */
function wordAt(data: Uint8Array, i: number): number {
  return (
    (data[i] ?? 0) |
    ((data[i + 1] ?? 0) << 8) |
    ((data[i + 2] ?? 0) << 16) |
    ((data[i + 3] ?? 0) << 24)
  )
}
