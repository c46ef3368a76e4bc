import { END, type PostId } from '../domain/post-id.ts'
import type { Store } from '../ports/store.ts'

const ROWS = 1000

/** All that the reader's feed must show, newest first; with `above`, only larger ids. */
export async function readOracle(
  store: Pick<Store, 'oracle'>,
  reader: number,
  above?: PostId
): Promise<readonly PostId[]> {
  const all: PostId[] = []
  let rows: readonly PostId[]
  do {
    rows = await store.oracle(reader, all.at(-1) ?? END, ROWS, above)
    all.push(...rows)
  } while (rows.length === ROWS)
  return all
}
