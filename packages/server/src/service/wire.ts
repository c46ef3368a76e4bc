import type { Author, JsonObject, Profile } from '@fanwise/sdk'
import type { User } from '../domain/user.ts'

export function toAuthor(user: User): Author {
  const { id, name, avatar } = user
  return { id, name, avatar, attributes: user.attributes as JsonObject }
}

export function toProfile(user: User): Profile {
  return {
    ...toAuthor(user),
    visibility: user.visibility,
    createdAt: new Date(user.createdAt).toISOString(),
    counts: user.counts
  }
}

/** Pages and posts exist as JSON bytes first: what is read in process is what goes over the wire. */
export function parse<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes).toString()) as T
}
