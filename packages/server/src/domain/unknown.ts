import { Problem } from './errors.ts'

/** One text for what is not there and for what the reader may not see: neither tells that it exists. */
export function unknownPost(id: string): Problem {
  return new Problem('post_not_found', `There is no post "${id}" that the reader may see.`)
}

/** As for posts: unknown, suspended, gone and blocked are one. */
export function unknownUser(id: string): Problem {
  return new Problem(
    'user_not_found',
    `There is no user "${id}" whom the reader may see. A user exists after their first write or PUT /v1/users/${id}.`
  )
}
