import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import test from 'node:test'
import { chooseUser, noSystemUser, parseAccounts, reasonOf, systemUser } from './system-user.ts'

const postgres = { name: 'postgres', uid: 101, gid: 104 }
const nobody = { name: 'nobody', uid: 65534, gid: 65534 }
const fanwise = { name: 'fanwise', uid: 998, gid: 998 }
const root = { name: 'root', uid: 0, gid: 0 }
const asRoot = { skip: process.getuid?.() !== 0 && 'needs root' }

test('postgres is preferred, then nobody, then fanwise', () => {
  assert.equal(chooseUser([root, fanwise, nobody, postgres]), postgres)
  assert.equal(chooseUser([root, fanwise, nobody]), nobody)
  assert.equal(chooseUser([root, fanwise]), fanwise)
  assert.equal(chooseUser([root]), undefined)
})

test('an account with the rights of root is passed over', () => {
  assert.equal(chooseUser([{ ...postgres, uid: 0 }, nobody]), nobody)
  assert.equal(chooseUser([{ ...postgres, gid: 0 }]), undefined)
})

test('accounts are read from passwd lines, and other lines are left out', () => {
  const text =
    'root:x:0:0:root:/root:/bin/sh\n\n# note\nnobody:x:65534:65534::/:/sbin/nologin\n+::::::\n'
  assert.deepEqual(parseAccounts(text), [root, nobody])
})

test('as root, the owner of existing data goes on with it', asRoot, () => {
  const table = () => [root, postgres, nobody]
  assert.equal(systemUser(65534, table), nobody)
  assert.deepEqual(systemUser(4242, table), { name: '4242', uid: 4242, gid: 4242 })
  assert.equal(systemUser(0, table), postgres)
  assert.equal(systemUser(undefined, table), postgres)
})

test('when no user can be made, the error says what each command said', () => {
  const ended = (command: string, ...args: string[]) =>
    reasonOf(spawnSync(command, args, { env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8' }))
  const failed = ended(
    process.execPath,
    '-e',
    'console.error("cannot lock /etc/passwd"); process.exit(1)'
  )
  assert.equal(failed, 'cannot lock /etc/passwd')
  assert.equal(ended(process.execPath, '-e', 'process.exit(3)'), 'ended with code 3')
  assert.equal(ended('fanwise-no-such-command'), 'not installed')
  const { code, message } = noSystemUser([`useradd: ${failed}`, 'adduser: not installed'])
  assert.equal(code, 'no_system_user')
  assert.match(message, /useradd: cannot lock \/etc\/passwd; adduser: not installed/)
  assert.match(message, /DATABASE_URL/)
})
