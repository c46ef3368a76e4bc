import { type OnRead, readLines } from './lines.ts'
import { followOf, followsBothWays, type Parsed } from './record.ts'

/**
 * An edge list: `a b` on each line (space, tab or comma between), `a` follows `b`; `#` and `%` start comments, further
 * columns are ignored. `undirected` reads each line as two follows.
 */
export async function* readEdges(
  path: string,
  undirected: boolean,
  onRead?: OnRead
): AsyncGenerator<Parsed> {
  let number = 0
  for await (const raw of readLines(path, onRead)) {
    number++
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.startsWith('%')) continue
    const [follower = '', followee = ''] = line.split(/[\s,;|]+/)
    if (undirected) yield* followsBothWays(number, follower, followee)
    else yield followOf(number, follower, followee)
  }
}
