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
  readonly blocks = new Set<string>()
  readonly mutes = new Set<string>()
  readonly hides = new Set<string>()

  blockedEitherWay(a: string, b: string): boolean {
    return this.blocks.has(pair(a, b)) || this.blocks.has(pair(b, a))
  }

  follow(reader: string, author: string): void {
    if (!this.blockedEitherWay(reader, author)) this.follows.add(pair(reader, author))
  }

  unfollow(reader: string, author: string): void {
    this.follows.delete(pair(reader, author))
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
