import { createHash } from 'node:crypto'
import type { AdminApi, Profile, UserId } from '@fanwise/sdk'
import type { Parsed } from './record.ts'

/** Everybody whom the server knows. */
export async function* allProfiles(admin: Pick<AdminApi, 'users'>): AsyncGenerator<Profile> {
  let cursor: string | undefined
  do {
    const page = await admin.users({ limit: 100, ...(cursor !== undefined && { cursor }) })
    yield* page.items
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}

/** The ids of all users of the server, in a stable order. */
export async function allUsers(admin: Pick<AdminApi, 'users'>): Promise<UserId[]> {
  return (await Array.fromAsync(allProfiles(admin), ({ id }) => id)).sort()
}

/** Gives each author of a file one of these people: always the same for the same name and the same people. */
export function spreadOver(people: readonly UserId[]): (record: Parsed) => Parsed {
  if (people.length === 0)
    throw new Error('There is nobody to spread the posts over; import people or follows first.')
  return record => {
    if (record.kind !== 'post') return record
    const hash = createHash('sha256').update(record.value.author).digest().readUInt32BE(0)
    const author = people[hash % people.length] ?? record.value.author
    return { ...record, value: { ...record.value, author } }
  }
}
