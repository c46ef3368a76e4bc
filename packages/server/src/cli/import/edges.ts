import { isUserId } from '../../domain/user.ts'
import { type OnRead, readLines } from './lines.ts'
import { type Parsed, rejected } from './record.ts'

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
    if (!isUserId(follower) || !isUserId(followee)) {
      yield rejected(number, `"${line.slice(0, 60)}" is not two user ids`)
      continue
    }
    if (follower === followee) {
      yield rejected(number, `"${follower}" cannot follow itself`)
      continue
    }
    yield { kind: 'follow', line: number, value: { follower, followee } }
    if (undirected)
      yield { kind: 'follow', line: number, value: { follower: followee, followee: follower } }
  }
}
