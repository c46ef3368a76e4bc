import { createHash } from 'node:crypto'
import { chmod, chown, lchown, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '../../../lib/make-folder.ts'
import { BundledPostgresError } from './bundled-postgres-error.ts'
import { canReach, realFolder } from './reach.ts'
import { type SystemUser, systemUser } from './system-user.ts'

/** Where the data lives and whose it is. `wanted` is the folder that the caller named. */
export interface Place {
  wanted: string
  folder: string
  user: SystemUser
  moved: boolean
}

async function ownerOf(folder: string): Promise<number | undefined> {
  return (await stat(folder).catch(() => undefined))?.uid
}

/** Gives a folder and all in it to `user`; the folder itself last, so that a crash leaves it to do again. */
async function giveTo(folder: string, uid: number, gid: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) await giveTo(file, uid, gid)
    else await lchown(file, uid, gid)
  }
  await chown(folder, uid, gid)
}

async function ownFolder({ folder, user }: Place): Promise<void> {
  await makeFolder(folder, 0o700)
  if (user.uid === undefined || user.gid === undefined) return
  if ((await ownerOf(folder)) !== user.uid) await giveTo(folder, user.uid, user.gid)
}

/** The path alone decides the name: the same wanted folder always has the same place. */
function movedFolder(systemDir: string, wanted: string): string {
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 16)
  return path.join(systemDir, name, 'postgres')
}

function unreachable(folder: string, name: string): BundledPostgresError {
  return new BundledPostgresError(
    'data_unreachable',
    `The data in ${folder} exists, but PostgreSQL's user ${name} can't reach it. ` +
      'Let that user enter its parent folders (chmod o+x), or move the data to a folder that it can reach.'
  )
}

async function placeForRoot(wanted: string, here: string, there: string): Promise<Place> {
  for (const folder of [here, there]) {
    const owner = await ownerOf(folder)
    if (owner === undefined) continue
    const user = systemUser(owner)
    const place = { wanted, folder, user, moved: folder === there }
    await ownFolder(place)
    if (!(await canReach(user, 'x', folder))) throw unreachable(folder, user.name)
    return place
  }
  const user = systemUser()
  if (await canReach(user, 'x', wanted)) return { wanted, folder: here, user, moved: false }
  await makeFolder(path.dirname(there))
  for (const parent of [path.dirname(path.dirname(there)), path.dirname(there)]) {
    await chmod(parent, 0o755)
  }
  return { wanted, folder: there, user, moved: true }
}

async function placeForUser(wanted: string, here: string, there: string): Promise<Place> {
  const user = systemUser()
  const owner = await ownerOf(here)
  if (owner === undefined && (await ownerOf(there)) !== undefined) {
    throw new BundledPostgresError(
      'data_unreachable',
      `The data of ${wanted} is kept in ${there}, because root started it. Start as root again, or choose another data folder.`
    )
  }
  if (owner !== undefined && process.getuid !== undefined && owner !== process.getuid()) {
    throw new BundledPostgresError(
      'data_unreachable',
      `The data in ${here} belongs to another user (uid ${owner}). Start as that user or as root.`
    )
  }
  return { wanted, folder: here, user, moved: false }
}

/**
 * Decides where the data of `dataDir` lives and makes that folder. As root it is a folder below
 * `systemDir` when PostgreSQL's user can't reach the wanted one; existing data is never left behind.
 */
export async function choosePlace(dataDir: string, systemDir: string): Promise<Place> {
  const wanted = await realFolder(dataDir)
  const here = path.join(wanted, 'postgres')
  const there = movedFolder(systemDir, wanted)
  const choose = process.getuid?.() === 0 ? placeForRoot : placeForUser
  const place = await choose(wanted, here, there)
  await ownFolder(place)
  if (await canReach(place.user, 'x', place.folder)) return place
  throw unreachable(place.folder, place.user.name)
}
