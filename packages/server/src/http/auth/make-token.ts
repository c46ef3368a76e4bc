import type { UserId } from '@fanwise/sdk'
import { SignJWT } from 'jose'

interface Signing {
  readonly secret: string
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
}

/** A user token (HS256). `lifetime` as jose reads it: '12h', '30 days'. */
export function makeToken(signing: Signing, user: UserId, lifetime = '12h'): Promise<string> {
  const token = new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject(user)
  if (signing.issuer !== undefined) token.setIssuer(signing.issuer)
  if (signing.audience !== undefined) token.setAudience(signing.audience)
  return token.setIssuedAt().setExpirationTime(lifetime).sign(Buffer.from(signing.secret))
}
