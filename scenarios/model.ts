// A feed server in a few sets: what every walk has to be.
import type { PostId } from '@fanwise/sdk'

interface ModelPost {
  readonly author: string
  content: string
}

/** Pairs as text, so that a set can hold them. */
const pair = (from: string, to: string) => `${from} ${to}`

export class Model {
  readonly posts = new Map<PostId, ModelPost>()
  readonly follows = new Set<string>()
  /** Who asks whom. */
  readonly requests = new Set<string>()
  readonly privates = new Set<string>()
  readonly blocks = new Set<string>()
  readonly mutes = new Set<string>()
  readonly hides = new Set<string>()

  blockedEitherWay(a: string, b: string): boolean {
    return this.blocks.has(pair(a, b)) || this.blocks.has(pair(b, a))
  }

  /** What it comes to; null when it is refused. */
  follow(reader: string, author: string): 'following' | 'requested' | null {
    if (this.blockedEitherWay(reader, author)) return null
    const key = pair(reader, author)
    if (this.privates.has(author) && !this.follows.has(key)) {
      this.requests.add(key)
      return 'requested'
    }
    this.#begin(key)
    return 'following'
  }

  #begin(key: string): void {
    this.requests.delete(key)
    this.follows.add(key)
  }

  unfollow(reader: string, author: string): void {
    this.follows.delete(pair(reader, author))
    this.requests.delete(pair(reader, author))
  }

  /** False when there is no such request. */
  acceptRequest(author: string, reader: string): boolean {
    const key = pair(reader, author)
    if (this.requests.has(key)) this.#begin(key)
    return this.follows.has(key)
  }

  rejectRequest(author: string, reader: string): void {
    this.requests.delete(pair(reader, author))
  }

  removeFollower(author: string, reader: string): void {
    this.follows.delete(pair(reader, author))
  }

  /** The other visibility. Who turns public accepts all who ask. */
  turn(user: string): 'public' | 'private' {
    if (!this.privates.delete(user)) {
      this.privates.add(user)
      return 'private'
    }
    for (const key of this.requests) if (key.endsWith(` ${user}`)) this.#begin(key)
    return 'public'
  }

  block(reader: string, author: string): void {
    this.blocks.add(pair(reader, author))
    this.unfollow(reader, author)
    this.unfollow(author, reader)
  }

  unblock(reader: string, author: string): void {
    this.blocks.delete(pair(reader, author))
  }

  /** Mute and hide: on if it was off, else off. Returns whether it is on now. */
  toggle(kind: 'mutes' | 'hides', reader: string, what: string): boolean {
    const key = pair(reader, what)
    if (!this[kind].delete(key)) this[kind].add(key)
    return this[kind].has(key)
  }

  /** Whether a post is there for somebody who looks at it or at its author's page. */
  sees(reader: string, id: PostId): boolean {
    const author = this.posts.get(id)?.author
    if (author === undefined) return false
    return author === reader || this.refusal(reader, author) === null
  }

  /** Why somebody may not look at an author's page; null when they may. */
  refusal(reader: string, author: string): 'user_not_found' | 'private_account' | null {
    if (author === reader) return null
    if (this.blockedEitherWay(reader, author)) return 'user_not_found'
    const accepted = !this.privates.has(author) || this.follows.has(pair(reader, author))
    return accepted ? null : 'private_account'
  }

  shows(reader: string, id: PostId): boolean {
    const author = this.posts.get(id)?.author
    if (author === undefined || this.hides.has(pair(reader, id))) return false
    if (author === reader) return true
    const followed = this.follows.has(pair(reader, author))
    return (
      followed && !this.mutes.has(pair(reader, author)) && !this.blockedEitherWay(reader, author)
    )
  }

  home(reader: string): PostId[] {
    return [...this.posts.keys()]
      .filter(id => this.shows(reader, id))
      .sort()
      .reverse()
  }
}
