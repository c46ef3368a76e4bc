import { createHash } from 'node:crypto'
import type { AdminApi, UserId } from '@fanwise/sdk'
import type { Parsed } from './record.ts'

/** All users of the server, in a stable order. */
export async function allUsers(admin: AdminApi): Promise<UserId[]> {
  const ids: UserId[] = []
  let cursor: string | undefined
  do {
    const page = await admin.users({ limit: 100, ...(cursor !== undefined && { cursor }) })
    ids.push(...page.items.map(user => user.id))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return ids.sort()
}

/** Gives each author of a file one of the people who are there: always the same for the same name. */
export function spreadOver(people: readonly UserId[]): (record: Parsed) => Parsed {
  if (people.length === 0)
    throw new Error('There is nobody to spread the posts over; import people or follows first.')
  return record => {
    if (record.kind !== 'post') return record
    const hash = createHash('sha256').update(record.value.author).digest().readUInt32BE(0)
    const author = people[hash % people.length] ?? record.value.author
    return { kind: 'post', value: { ...record.value, author } }
  }
}
