// @ts-check
/** @import { Author, Page, Post, ProblemDetails, Profile } from '@fanwise/sdk' */

/** What went wrong, in the words of the server; `unreachable` when it did not answer at all. */
export class ApiError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message)
    this.name = 'ApiError'
    this.code = code
  }
}

const TIMEOUT_MS = 15_000
const PEOPLE_MAX = 2000

/** The API as one user sees it. */
export class Api {
  /** @type {Promise<string> | undefined} */
  #token

  /** @param {string} user */
  constructor(user) {
    this.user = user
  }

  /** @param {string} path @param {string | null} cursor @param {number} limit @returns {Promise<Page<Post>>} */
  async posts(path, cursor, limit) {
    return await this.#call('GET', withQuery(path, { limit, cursor }))
  }

  /** @param {string} path @returns {Promise<Author[]>} every author of a list, up to 1,000 */
  async authors(path) {
    /** @type {Author[]} */
    const all = []
    /** @type {string | null} */
    let cursor = null
    do {
      /** @type {Page<Author>} */
      const page = await this.#call('GET', withQuery(path, { limit: 100, cursor }))
      all.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null && all.length < 1000)
    return all
  }

  /** @param {string} id @returns {Promise<Profile>} */
  async profile(id) {
    return await this.#call('GET', `/v1/users/${encodeURIComponent(id)}`)
  }

  /** @param {string} content @param {string} key the same for a retry, so that no post appears twice @returns {Promise<Post>} */
  async createPost(content, key) {
    return await this.#call('POST', '/v1/posts', { content }, { 'idempotency-key': key })
  }

  /** @param {string} id */
  async deletePost(id) {
    await this.#call('DELETE', `/v1/posts/${id}`)
  }

  /** @param {string} id @param {'like' | 'hide'} mark @param {boolean} on */
  async mark(id, mark, on) {
    await this.#call(on ? 'POST' : 'DELETE', `/v1/posts/${id}/${mark}`)
  }

  /** @param {string} user @param {'follow' | 'mute' | 'block'} relation @param {boolean} on */
  async relate(user, relation, on) {
    await this.#call(on ? 'POST' : 'DELETE', `/v1/users/${encodeURIComponent(user)}/${relation}`)
  }

  /**
   * @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} [headers]
   * @returns {Promise<any>}
   */
  async #call(method, path, body, headers = {}) {
    this.#token ??= askToken(this.user)
    try {
      const authorization = `Bearer ${await this.#token}`
      return await send(method, path, body, { ...headers, authorization })
    } catch (error) {
      this.#token = undefined
      throw error
    }
  }
}

/** Everybody, up to 2,000 people. @returns {Promise<Profile[]>} */
export async function everybody() {
  /** @type {Profile[]} */
  const all = []
  /** @type {string | null} */
  let cursor = null
  do {
    /** @type {Page<Profile>} */
    const page = await send('GET', withQuery('/dev/people', { limit: 100, cursor }))
    all.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null && all.length < PEOPLE_MAX)
  return all
}

/** A key for one write: repeating the write with it is safe. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** @param {string} user @returns {Promise<string>} */
async function askToken(user) {
  return (await send('POST', '/dev/token', { user })).token
}

/** @param {string} path @param {Record<string, string | number | null>} query */
function withQuery(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== null)
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

/**
 * @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} [headers]
 * @returns {Promise<any>} the JSON of the answer; undefined when it has none
 */
async function send(method, path, body, headers = {}) {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS)
  }).catch(() => {
    throw new ApiError('unreachable', 'The server does not answer. Is it running?')
  })
  if (response.ok) return response.status === 204 ? undefined : await response.json()
  throw await problemOf(response)
}

/** @param {Response} response */
async function problemOf(response) {
  try {
    /** @type {ProblemDetails} */
    const problem = await response.json()
    return new ApiError(problem.code, problem.message)
  } catch {
    return new ApiError(`http_${response.status}`, 'The answer could not be read.')
  }
}
