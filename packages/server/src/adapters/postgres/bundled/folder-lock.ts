import { createHash, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { BundledPostgresError } from './bundled-postgres-error.ts'
import { startTime } from './process-identity.ts'

/** A lock file that is held; it goes when it is disposed of. */
export interface FolderLock extends AsyncDisposable {
  file: string
}

const read = (file: string) => readFile(file, 'utf8').catch(() => undefined)

/** A holder is alive if the process of that pid started when the file says: pids come again. */
function holderLives(content: string): boolean {
  const [pid, started] = content.split(' ')
  return started !== undefined && startTime(Number(pid)) === started
}

/** A hard link appears at once with its whole content, so nobody ever reads half a lock. */
async function create(file: string): Promise<string | undefined> {
  const nonce = randomUUID()
  const content = `${process.pid} ${startTime(process.pid)} ${nonce}`
  const temporary = `${file}.${nonce}`
  await writeFile(temporary, content)
  try {
    await link(temporary, file)
    return content
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  } finally {
    await rm(temporary, { force: true })
  }
}

/**
 * Removes the lock of a dead holder. Only who holds the lock named after that very content may do
 * so: of two that found it stale, the slower one would otherwise remove the lock of the faster one.
 */
async function removeStale(file: string, content: string): Promise<void> {
  const name = createHash('sha256').update(content).digest('hex').slice(0, 12)
  await using removal = await tryLock(`${file}.${name}`)
  if (removal !== undefined && (await read(file)) === content) await rm(file, { force: true })
}

async function tryLock(file: string): Promise<FolderLock | undefined> {
  const own = await create(file)
  if (own !== undefined) {
    return { file, [Symbol.asyncDispose]: () => rm(file, { force: true }) }
  }
  const content = await read(file)
  if (content === undefined || holderLives(content)) return undefined
  await removeStale(file, content)
  return await tryLock(file)
}

/** Takes the lock, waiting up to `waitMs` for a live holder. */
export async function lockFolder(file: string, waitMs: number): Promise<FolderLock> {
  const end = performance.now() + waitMs
  for (;;) {
    const lock = await tryLock(file)
    if (lock !== undefined) return lock
    if (performance.now() > end) break
    await wait(25)
  }
  const [pid] = ((await read(file)) ?? '').split(' ')
  throw new BundledPostgresError(
    'folder_in_use',
    `The server with pid ${pid} has been starting on this data folder for over ${waitMs / 1000} s (lock ${file}).`
  )
}
