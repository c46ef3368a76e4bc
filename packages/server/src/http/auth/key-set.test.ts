import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type TestContext } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Problem } from '../../domain/errors.ts'
import { UserTokens } from './user-tokens.ts'

/** Serves what `answer` gives as a key set. */
async function keyServer(t: TestContext, answer: () => string): Promise<string> {
  const server = createServer((_, response) => response.end(answer()))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
}

for (const alg of ['RS256', 'ES256', 'EdDSA'])
  test(`tokens signed by ${alg} are checked with the keys of a URL`, async t => {
    const { publicKey, privateKey } = await generateKeyPair(alg)
    const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg }] })
    const tokens = new UserTokens({ keys: { jwksUrl: await keyServer(t, () => keys) } })
    const signed = (kid: string, lifetime: string) =>
      new SignJWT({ sub: 'ada' })
        .setProtectedHeader({ alg, kid })
        .setExpirationTime(lifetime)
        .sign(privateKey)
    assert.equal(await tokens.userOf(await signed('one', '60 s')), 'ada')
    for (const bad of [await signed('two', '60 s'), await signed('one', '-1 s')])
      await assert.rejects(tokens.userOf(bad), { code: 'unauthenticated' })
  })

test('a key set that is none says nothing about a token', async t => {
  const { privateKey } = await generateKeyPair('ES256')
  const token = await new SignJWT({ sub: 'ada' })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setExpirationTime('60 s')
    .sign(privateKey)
  for (const answer of ['<html>', '{}', '[]']) {
    const tokens = new UserTokens({ keys: { jwksUrl: await keyServer(t, () => answer) } })
    const refusal = await tokens.userOf(token).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.ok(refusal instanceof Problem)
    assert.equal(refusal.code, 'unavailable', answer)
  }
})
