import type { PostId, UserId } from './api.ts'

export function postPath(id: PostId, word?: string): string {
  return join('/v1/posts', id, word)
}

export function userPath(user: UserId, word?: string): string {
  return join('/v1/users', user, word)
}

export function join(before: string, id: string, word?: string): string {
  const path = `${before}/${encodeURIComponent(id)}`
  return word === undefined ? path : `${path}/${word}`
}

/** An address forgets `.` and `..`, and what is empty leads elsewhere: such an id would reach another route. */
export function keepsItsParts(path: string): boolean {
  const [before = ''] = path.split('?')
  return before
    .split('/')
    .slice(1)
    .every(part => part !== '' && part !== '.' && part !== '..')
}
