/** How an author's posts reach feeds: pushed to each follower, merged on read, or (while switching) both. */
export type Delivery = 'push' | 'both' | 'pull'

/** `suspended` can be lifted; `gone` is final. Neither author shows on any path. */
export type UserStatus = 'active' | 'suspended' | 'gone'

/** Posts of a `private` account are for its author and for followers whom they accepted, on every path. */
export type Visibility = 'public' | 'private'

/** A JSON object that the app keeps with a profile or a post. */
export type Attributes = Readonly<Record<string, unknown>>

export interface Profile {
  readonly name: string | null
  readonly avatar: string | null
  readonly attributes: Attributes
  readonly visibility: Visibility
}

export interface UserCounts {
  readonly followers: number
  readonly following: number
  readonly posts: number
}

/** `number` is ours and stands in every key, list and table; `id` is the app's own text. */
export interface User extends Profile {
  readonly number: number
  readonly id: string
  /** Grows with each change of profile or status. */
  readonly version: number
  readonly status: UserStatus
  /** Unix ms. */
  readonly createdAt: number
  readonly counts: UserCounts
}

/** `.` and `..` would vanish from a URL. */
const USER_ID = /^(?!\.{1,2}$)[A-Za-z0-9_.:-]{1,64}$/

export function isUserId(text: string): boolean {
  return USER_ID.test(text)
}
