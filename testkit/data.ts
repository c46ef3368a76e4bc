// Graphs and posts for the large tests: public ones from a folder beside the repository when it is there, else made
// up in the same formats by the generator, so that nothing is skipped.
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Random, Zipf } from '../packages/server/src/cli/generate/random.ts'
import { OPENINGS, SUBJECTS } from '../packages/server/src/cli/generate/words.ts'

export interface TestData {
  /** Undirected friendships, `a b` on each line. */
  readonly edges: string
  /** CSV: created_at,author,text. */
  readonly posts: string
}

const FOLDER =
  process.env.FANWISE_TEST_DATA ?? path.resolve(import.meta.dirname, '../../shared/data')

/** The files; made in `folder` where the public ones are absent. */
export async function testData(folder: string): Promise<TestData> {
  const edges = path.join(FOLDER, 'reed98/socfb-Reed98.edges')
  const posts = path.join(FOLDER, 'tweets/burst.csv')
  if (existsSync(edges) && existsSync(posts)) return { edges, posts }
  const made = { edges: path.join(folder, 'made.edges'), posts: path.join(folder, 'made.csv') }
  await writeFile(made.edges, madeEdges())
  await writeFile(made.posts, madePosts())
  return made
}

/** The folder of the LDBC network, if it is there. */
export function ldbcFolder(): string | undefined {
  const folder = path.join(FOLDER, 'ldbc')
  return existsSync(folder) ? folder : undefined
}

function madeEdges(people = 962, count = 18_812): string {
  const random = new Random(98)
  const popularity = new Zipf(random, people, 0.5)
  const edges = new Set<string>()
  while (edges.size < count) {
    const [a, b] = [popularity.draw(), random.index(people)]
    if (a !== b) edges.add(a < b ? `${a} ${b}` : `${b} ${a}`)
  }
  return [...edges].join('\n')
}

function madePosts(count = 12_118): string {
  const random = new Random(99)
  const start = Date.parse('2017-08-27T00:05:34Z')
  const rows = Array.from({ length: count }, (_, index) => {
    const time = new Date(start + Math.floor(index / 3) * 1000).toISOString()
    return `${time},u${random.index(11_000)},"${random.pick(OPENINGS)} ${random.pick(SUBJECTS)} ""${index}"" 😲"`
  })
  return `created_at,author,text\n${rows.join('\n')}\n`
}
