import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** Told how many bytes of a file, as it lies on the disk, were read. */
export type OnRead = (bytes: number) => void

/** A file's bytes; `.gz` is unpacked on the way. */
export function openFile(path: string, onRead: OnRead = () => {}): Readable {
  const file = createReadStream(path)
  file.on('data', chunk => onRead(chunk.length))
  file.pause()
  if (!path.endsWith('.gz')) return file
  const unpacked = createGunzip()
  unpacked.on('error', error => {
    if ('code' in error && String(error.code).startsWith('Z_'))
      error.message = `${path} can't be unpacked, it is no whole gzip file: ${error.message}`
  })
  // Either one that ends takes the other with it; whoever reads is told of the error.
  return pipeline(file, unpacked, () => undefined)
}

/** Lines without their ends; a byte order mark is taken off. */
export async function* readLines(path: string, onRead?: OnRead): AsyncGenerator<string> {
  const input = openFile(path, onRead)
  let first = true
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      yield first ? line.replace(/^\uFEFF/, '') : line
      first = false
    }
  } finally {
    // Who reads only the first lines has no use for errors behind them.
    input.destroy()
  }
}
