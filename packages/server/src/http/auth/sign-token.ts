import type { UserId } from '@fanwise/sdk'
import { SignJWT } from 'jose'
import type { AuthOptions } from './auth-options.ts'

/** A user token (HS256) that is valid for `seconds`. */
export function signToken(
  secret: string,
  user: UserId,
  seconds: number,
  { issuer, audience }: Pick<AuthOptions, 'issuer' | 'audience'> = {}
): Promise<string> {
  const issued = Math.floor(Date.now() / 1000)
  const token = new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject(user)
  if (issuer !== undefined) token.setIssuer(issuer)
  if (audience !== undefined) token.setAudience(audience)
  return token
    .setIssuedAt(issued)
    .setExpirationTime(issued + seconds)
    .sign(Buffer.from(secret))
}
