import type { WriteOptions } from './api.ts'
import { backoffMs, pause } from './backoff.ts'
import { Commits } from './commits.ts'
import { errorOf, FanwiseError, isRetryable } from './fanwise-error.ts'
import { keepsItsParts } from './paths.ts'

/** Settings of a client beside its key. */
export interface ConnectionOptions {
  /** Where the server is, such as `https://feed.example.com`. A path before `/v1` is kept. */
  readonly url: string
  /** Instead of the global one. */
  readonly fetch?: typeof fetch
  /** Further attempts when the server cannot be reached or asks to come back; 3 if absent. */
  readonly retries?: number
  /** How long one attempt may take, in ms; 30,000 if absent. */
  readonly timeoutMs?: number
}

/** What every method takes beside its own arguments. */
export interface RequestOptions {
  /** Gives up: the method rejects with the reason of the signal. */
  readonly signal?: AbortSignal
}

/** Of a method that changes something. Without a key the client makes one, so that its own retries are safe. */
export type WriteRequest = WriteOptions & RequestOptions

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface ApiRequest extends WriteRequest {
  readonly method: Method
  readonly path: string
  readonly body: unknown
  /** One attempt may take at least this long, in ms. */
  readonly atLeastMs?: number
}

type Headers = Readonly<Record<string, string>>

/** Sends requests, and sends them again where that may help. */
export class Transport {
  readonly #options: ConnectionOptions
  readonly #url: string
  readonly #headers: () => Promise<Headers>
  readonly #commits: Commits

  /** `commits` collects what is written, and is sent along with what is read. */
  constructor(
    options: ConnectionOptions,
    headers: () => Promise<Headers>,
    commits: Commits = new Commits()
  ) {
    this.#options = options
    this.#commits = commits
    this.#url = options.url.replace(/\/+$/, '')
    this.#headers = headers
  }

  /**
   * The JSON of the answer; undefined where it has no body. `path` is behind the address of the server, query and all.
   * @throws FanwiseError, or what the signal gives as reason.
   */
  ask<T>(
    method: Method,
    path: string,
    options: WriteRequest & { readonly atLeastMs?: number } = {},
    body?: unknown
  ): Promise<T> {
    return this.#send({ ...options, method, path, body }) as Promise<T>
  }

  async #send(request: ApiRequest): Promise<unknown> {
    request.signal?.throwIfAborted()
    if (!keepsItsParts(request.path)) throw unaddressable(request.path)
    const { retries = 3 } = this.#options
    const headers = await this.#headersOf(request)
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(request, headers)
      if (!('error' in outcome)) return outcome.value
      // The server got another secret: it knows none of these any more.
      if (outcome.error.code === 'invalid_commit' && 'fanwise-min-commit' in headers) {
        this.#commits.clear()
        return this.#send(request)
      }
      if (!outcome.again || attempt >= retries) throw outcome.error
      await pause(backoffMs(attempt, outcome.retryAfter), request.signal)
    }
  }

  async #headersOf({ method, body, idempotencyKey }: ApiRequest): Promise<Headers> {
    const minCommit = method === 'GET' ? this.#commits.text : null
    return {
      ...(await this.#headers()),
      ...(minCommit !== null && { 'fanwise-min-commit': minCommit }),
      accept: 'application/json, application/problem+json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && { 'idempotency-key': idempotencyKey ?? makeKey() })
    }
  }

  async #attempt(request: ApiRequest, headers: Headers): Promise<Outcome> {
    const { method, path, body, signal } = request
    const { fetch: send = globalThis.fetch, timeoutMs = 30_000 } = this.#options
    const timeout = AbortSignal.timeout(Math.max(timeoutMs, request.atLeastMs ?? 0))
    try {
      const response = await send(`${this.#url}${path}`, {
        ...{ method, headers, signal: signal ? AbortSignal.any([signal, timeout]) : timeout },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
      const commit = response.headers.get('fanwise-commit')
      if (commit !== null) this.#commits.add(commit)
      return await read(response)
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      return { error: unreached(this.#url, timeout.aborted, cause), again: true, retryAfter: null }
    }
  }
}

type Outcome =
  | { readonly value: unknown }
  | { readonly error: FanwiseError; readonly again: boolean; readonly retryAfter: string | null }

async function read(response: Response): Promise<Outcome> {
  if (response.ok) return { value: response.status === 204 ? undefined : await response.json() }
  return {
    error: await errorOf(response),
    again: isRetryable(response.status),
    retryAfter: response.headers.get('retry-after')
  }
}

function unreached(url: string, late: boolean, cause: unknown): FanwiseError {
  const why = late ? 'did not answer in time' : 'could not be reached'
  return new FanwiseError(
    { code: 'unavailable', status: 0, message: `The server at ${url} ${why}.` },
    { cause }
  )
}

function unaddressable(path: string): FanwiseError {
  const message = `An id in ${path} is empty, "." or "..", and cannot be part of an address.`
  return new FanwiseError({ code: 'invalid_request', status: 0, message })
}

/** 128 random bits; works on pages without HTTPS too. */
function makeKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
