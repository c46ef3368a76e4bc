import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** A file's bytes; `.gz` is unpacked on the way. */
export function openFile(path: string): Readable {
  const file = createReadStream(path)
  if (!path.endsWith('.gz')) return file
  const unpacked = createGunzip()
  file.on('error', error => unpacked.destroy(error))
  return file.pipe(unpacked)
}

/** Lines without their ends; a byte order mark is taken off. */
export async function* readLines(path: string): AsyncGenerator<string> {
  let first = true
  for await (const line of createInterface({
    input: openFile(path),
    crlfDelay: Number.POSITIVE_INFINITY
  })) {
    yield first ? line.replace(/^\uFEFF/, '') : line
    first = false
  }
}
