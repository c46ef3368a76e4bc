import { Problem } from '../../domain/errors.ts'
import type { Post } from '../../domain/post.ts'
import { END, type PostId } from '../../domain/post-id.ts'
import type { Attributes, User, UserStatus, Visibility } from '../../domain/user.ts'
import type { Extent } from '../../ports/store.ts'

/** bigint comes as text, and as a number out of jsonb; users' numbers fit a JavaScript number. */
type Big = string | number

export interface UserRow {
  readonly number: Big
  readonly id: string
  readonly name: string | null
  readonly avatar: string | null
  readonly attributes: Attributes
  readonly visibility: Visibility
  readonly version: number
  readonly status: UserStatus
  readonly created_ms: Big
  readonly followers_count: Big
  readonly following_count: Big
  readonly posts_count: Big
}

export const USER_COLUMNS = `number, id, name, avatar, attributes, visibility, version, status,
  floor(extract(epoch from created_at) * 1000)::bigint as created_ms,
  greatest(followers_count, 0) as followers_count,
  greatest(following_count, 0) as following_count,
  greatest(posts_count, 0) as posts_count`

export function toUser(row: UserRow): User {
  return {
    number: Number(row.number),
    id: row.id,
    name: row.name,
    avatar: row.avatar,
    attributes: row.attributes,
    visibility: row.visibility,
    version: row.version,
    status: row.status,
    createdAt: Number(row.created_ms),
    counts: {
      followers: Number(row.followers_count),
      following: Number(row.following_count),
      posts: Number(row.posts_count)
    }
  }
}

export interface PostRow {
  readonly id: PostId
  readonly author: Big
  readonly content: string
  readonly attrs: Attributes
  readonly edited_ms: Big | null
  readonly deleted: boolean
}

export const POST_COLUMNS = `id::text as id, author, content, attrs,
  floor(extract(epoch from edited_at) * 1000)::bigint as edited_ms,
  deleted_at is not null as deleted`

export function toPost(row: PostRow): Post {
  return {
    id: row.id,
    author: Number(row.author),
    content: row.content,
    attrs: row.attrs,
    editedAt: row.edited_ms === null ? null : Number(row.edited_ms),
    deleted: row.deleted
  }
}

const LARGEST = (1n << 63n) - 1n

/** A bound as bigint: END and shifted ids may lie outside it. */
export function bound(id: string): string {
  if (id === END) return LARGEST.toString()
  if (id.length < 19) return id
  return BigInt(id) > LARGEST ? LARGEST.toString() : id
}

/** The numbers of a list that came as one aggregated string. */
export function numbers(list: string | null): number[] {
  return list === null ? [] : list.split(',').map(Number)
}

export function texts(list: string | null): string[] {
  return list === null ? [] : list.split(',')
}

/** @throws Problem user_not_found, account_suspended, account_gone unless the user may write. */
export function mayWrite(user: number, status: UserStatus | null | undefined): void {
  if (status === 'active') return
  if (status === 'suspended') throw new Problem('account_suspended', undefined, { user })
  if (status === 'gone') throw new Problem('account_gone', undefined, { user })
  throw new Problem('user_not_found', `There is no user with the number ${user}.`, { user })
}

/** @throws Problem user_not_found unless the user can be followed, blocked or muted. */
export function mustExist(user: number, status: UserStatus | null | undefined): void {
  if (status === undefined || status === null || status === 'gone')
    throw new Problem('user_not_found', undefined, { user })
}

/** The statuses of authors whose ids are read. */
export const STATUSES: Readonly<Record<Extent, readonly UserStatus[]>> = {
  shown: ['active'],
  kept: ['active', 'suspended']
}
