import type { JSONWebKeySet } from 'jose'

/** How user tokens are signed; the kind of key pins the algorithms that are accepted. */
export type TokenKeys =
  /** HS256. */
  | { readonly secret: string }
  /** RS256, ES256 or EdDSA, with the keys fetched from a URL. */
  | { readonly jwksUrl: string }
  /** RS256, ES256 or EdDSA, with the keys at hand. */
  | { readonly jwks: JSONWebKeySet }

export interface AuthOptions {
  /** What the app's backend sends as its bearer token. */
  readonly serverKey: string
  readonly keys: TokenKeys
  /** The `iss` that tokens must have; any if absent. */
  readonly issuer?: string | undefined
  /** The `aud` that tokens must have; any if absent. */
  readonly audience?: string | undefined
}
