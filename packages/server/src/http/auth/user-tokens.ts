import { createSecretKey } from 'node:crypto'
import type { UserId } from '@fanwise/sdk'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify
} from 'jose'
import { Problem } from '../../domain/errors.ts'
import { isUserId } from '../../domain/user.ts'
import type { AuthOptions, TokenKeys } from './auth-options.ts'
import { TokenCache } from './token-cache.ts'

/** Longer ones are refused unread. */
const TOKEN_MAX = 4096

/** How far the issuer's clock may be ahead of ours when it stamps `iat`. */
const ISSUED_AHEAD_S = 5

const JWKS_TIMEOUT_MS = 2000

const PUBLIC_KEY_ALGORITHMS = ['RS256', 'ES256', 'EdDSA', 'Ed25519']

type Verify = (token: string, options: JWTVerifyOptions) => Promise<JWTVerifyResult>

/** Checks user tokens. */
export class UserTokens {
  readonly #cache = new TokenCache()
  readonly #verify: Verify
  readonly #options: JWTVerifyOptions

  constructor({ keys, issuer, audience }: Omit<AuthOptions, 'serverKey'>) {
    this.#verify = verifierOf(keys)
    this.#options = {
      algorithms: 'secret' in keys ? ['HS256'] : PUBLIC_KEY_ALGORITHMS,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: 0,
      ...(issuer && { issuer }),
      ...(audience && { audience })
    }
  }

  /** @throws Problem unauthenticated, the same for every bad token; unavailable when the keys cannot be fetched. */
  async userOf(token: string): Promise<UserId> {
    if (token.length > TOKEN_MAX) throw new Problem('unauthenticated')
    const known = this.#cache.get(token)
    if (known !== undefined) return known
    if (!isCanonical(token)) throw new Problem('unauthenticated')
    const { sub, exp } = await this.#payload(token)
    if (typeof sub !== 'string' || !isUserId(sub)) throw new Problem('unauthenticated')
    this.#cache.set(token, sub, Number(exp) * 1000)
    return sub
  }

  async #payload(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await this.#verify(token, this.#options)
      if (issuedInFuture(payload.iat)) throw new Problem('unauthenticated')
      return payload
    } catch (error) {
      throw isKeyFailure(error) ? keysUnavailable(error) : new Problem('unauthenticated')
    }
  }
}

/** Each part is base64url as there is one way to write it: no padding, no stray characters or bits. */
function isCanonical(token: string): boolean {
  return token
    .split('.')
    .every(part => Buffer.from(part, 'base64url').toString('base64url') === part)
}

function verifierOf(keys: TokenKeys): Verify {
  if ('secret' in keys) {
    if (keys.secret === '') throw new RangeError('The secret of the user tokens is empty.')
    const secret = createSecretKey(Buffer.from(keys.secret))
    return (token, options) => jwtVerify(token, secret, options)
  }
  const find =
    'jwks' in keys
      ? createLocalJWKSet(keys.jwks)
      : createRemoteJWKSet(new URL(keys.jwksUrl), { timeoutDuration: JWKS_TIMEOUT_MS })
  return (token, options) => jwtVerify(token, find, options)
}

function issuedInFuture(iat: number | undefined): boolean {
  return iat !== undefined && iat > Date.now() / 1000 + ISSUED_AHEAD_S
}

/** The key set could not be had: nothing is known about the token. */
function isKeyFailure(error: unknown): boolean {
  if (error instanceof Problem) return false
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return true
  if (error instanceof errors.JOSEError) return error.code === 'ERR_JOSE_GENERIC'
  return error instanceof TypeError && error.message === 'fetch failed'
}

function keysUnavailable(cause: unknown): Problem {
  const message = 'The keys that sign user tokens cannot be fetched. Repeat the request.'
  return new Problem('unavailable', message, {}, { cause })
}
