import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { AdminApi, UserId } from '@fanwise/sdk'
import { allProfiles } from './spread.ts'

const HEAD_BYTES = 65_536

/** Who was there when a file was first spread over a server, with the time of their sign-up: that tells the server. */
type People = Readonly<Record<UserId, string>>

/**
 * The people that a source is spread over: those who are there at its first import. They are noted in the folder, under
 * the beginning of the source's content, so that who signs up later changes nothing when it is imported again. A list
 * belongs to a server that has at least half of its people, made at the same moment.
 */
export async function peopleOfSource(
  admin: Pick<AdminApi, 'users'>,
  source: string,
  folder: string
): Promise<readonly UserId[]> {
  const file = path.join(folder, 'imports', `${await fingerprint(source)}.json`)
  const lists = await readLists(file)
  const present = new Map<UserId, string>()
  for await (const { id, createdAt } of allProfiles(admin)) present.set(id, createdAt)
  const kept = lists.find(list => belongs(list, present))
  if (kept !== undefined) return Object.keys(kept).sort()
  if (present.size > 0) await writeLists(file, [...lists, Object.fromEntries(present)])
  return [...present.keys()].sort()
}

function belongs(list: People, present: ReadonlyMap<UserId, string>): boolean {
  const all = Object.entries(list)
  const found = all.filter(([id, createdAt]) => present.get(id) === createdAt)
  return found.length * 2 >= all.length
}

/** Of the beginning: a file that has grown is the same source. */
async function fingerprint(source: string): Promise<string> {
  const folder = (await stat(source)).isDirectory()
  await using file = await open(folder ? path.join(source, 'posts.csv') : source)
  const head = Buffer.alloc(HEAD_BYTES)
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0)
  return createHash('sha256').update(head.subarray(0, bytesRead)).digest('hex').slice(0, 32)
}

async function readLists(file: string): Promise<People[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as People[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new Error(`${file} can't be read: ${(error as Error).message}`, { cause: error })
  }
}

/** Written beside and renamed: nobody reads half a file. */
async function writeLists(file: string, lists: readonly People[]): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, JSON.stringify(lists), { mode: 0o600 })
  await rename(draft, file)
}
