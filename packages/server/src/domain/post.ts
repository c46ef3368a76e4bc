import type { PostId } from './post-id.ts'
import type { Attributes } from './user.ts'

/** A post as stored. Its time of creation is in its id; `author` is a user's number. */
export interface Post {
  readonly id: PostId
  readonly author: number
  readonly content: string
  readonly attrs: Attributes
  /** Unix ms of the last edit, null when never edited. */
  readonly editedAt: number | null
  readonly deleted: boolean
}

export interface NewPost {
  readonly author: number
  readonly content: string
  readonly attrs: Attributes
}

/** A post that was made elsewhere: it keeps its own time, and `externalId` (unique per author) makes imports repeatable. */
export interface ImportedPost extends NewPost {
  /** Unix ms; null = now. */
  readonly createdAt: number | null
  readonly externalId: string | null
}

export interface PostChange {
  readonly content?: string
  readonly attrs?: Attributes
}
