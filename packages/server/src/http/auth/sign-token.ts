import type { UserId } from '@fanwise/sdk'
import { SignJWT } from 'jose'

export interface Signing {
  readonly secret: string
  /** Goes into the token unless absent or empty. */
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
}

/** A user token (HS256). `lifetime` is a number and a unit: `90 s`, `12h`, `30 days`. */
export function signToken(signing: Signing, user: UserId, lifetime = '12h'): Promise<string> {
  const { secret, issuer, audience } = signing
  const token = new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject(user)
  if (issuer) token.setIssuer(issuer)
  if (audience) token.setAudience(audience)
  return token.setIssuedAt().setExpirationTime(lifetime).sign(Buffer.from(secret))
}
