// A small disk of a test's own, which it may fill to the last byte.
import { chmod, open, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { runCommand } from '../scripts/services/run-command.ts'
import { servicesFolder } from '../scripts/services/start-services.ts'

/** Why there can be no such disk, for the `skip` of a test; false with CI=true. */
export function withoutDisks(): string | false {
  if (process.env.CI === 'true') return false
  const root = process.platform === 'linux' && process.getuid?.() === 0
  return root ? false : 'only root of a Linux can mount a small disk'
}

export interface SmallDisk {
  readonly folder: string
  /** Nothing is free any more. */
  fill(): Promise<void>
  free(): Promise<void>
}

/** A disk in memory, gone with the test. */
export async function smallDisk(t: TestContext, megabytes: number): Promise<SmallDisk> {
  const folder = await servicesFolder()
  const mount = ['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'fanwise', folder] as const
  await runCommand([...mount], { timeoutMs: 10_000 })
  await chmod(folder, 0o755)
  t.after(async () => {
    await runCommand(['umount', '-l', folder], { timeoutMs: 10_000 })
    await rm(folder, { recursive: true, force: true })
  })
  const filler = path.join(folder, 'filler')
  return {
    folder,
    fill: () => fillUp(folder, filler),
    free: () => rm(filler)
  }
}

async function fillUp(folder: string, filler: string): Promise<void> {
  const { bsize } = await statfs(folder)
  await using file = await open(filler, 'w')
  const block = Buffer.alloc(bsize)
  try {
    for (;;) await file.write(block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
