import assert from 'node:assert/strict'
import { chmod, copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import test from 'node:test'
import { serveInProcess, testFolder } from '../../../../../../testkit/postgres-folder.ts'
import { startBundledPostgres } from './index.ts'
import { locate } from './locate.ts'
import { withClient } from './with-client.ts'

const isRoot = process.getuid?.() === 0
const asRoot = { skip: !isRoot && 'needs root' }
const nobody = 65_534

/** A hard link where it is as good as a copy: the binaries weigh 60 MB. */
async function place(from: string, to: string): Promise<void> {
  const readable = ((await stat(from)).mode & 0o004) !== 0
  if (
    readable &&
    (await link(from, to).then(
      () => true,
      () => false
    ))
  )
    return
  await copyFile(from, to)
  await chmod(to, 0o644)
}

/** The npm package as npm leaves it without install scripts: no links, perhaps no executable bits. */
async function barePackage(dir: string): Promise<string> {
  const from = locate().dir
  const to = path.join(dir, 'package')
  const files = await readdir(from, { recursive: true, withFileTypes: true })
  for (const entry of files.filter(file => file.isFile() && !file.name.endsWith('.a'))) {
    const name = path.relative(from, path.join(entry.parentPath, entry.name))
    await mkdir(path.dirname(path.join(to, name)), { recursive: true })
    await place(path.join(from, name), path.join(to, name))
  }
  const bin = path.join(to, 'native/bin')
  for (const name of await readdir(bin)) {
    await rm(path.join(bin, name))
    await copyFile(path.join(from, 'native/bin', name), path.join(bin, name))
    await chmod(path.join(bin, name), 0o644)
  }
  return to
}

test('missing links and executable bits are made', async () => {
  await using folder = await testFolder()
  const packageDir = await barePackage(folder.dir)
  await using server = await startBundledPostgres({ ...folder.options, packageDir })
  assert.equal(server.binDir, path.join(packageDir, 'native/bin'))
  assert.equal(server.relocated, false)
  assert.notEqual((await stat(path.join(server.binDir, 'postgres'))).mode & 0o111, 0)
})

test('binaries that can not be made ready where they are get copied beside the data', async () => {
  await using folder = await testFolder()
  const packageDir = await barePackage(folder.dir)
  await chmod(path.join(packageDir, 'native/lib'), 0o555)
  await mkdir(folder.options.dataDir)
  await chmod(folder.options.dataDir, 0o777)
  // A mode binds no root: the folder belongs to root, and the server runs as somebody else.
  await using server = await serveInProcess({
    ...folder.options,
    packageDir,
    ...(isRoot && { become: nobody })
  })
  assert.equal(server.answer.error, undefined)
  const home = path.join(folder.options.dataDir, `postgres-${locate().version}`)
  assert.equal(server.answer.binDir, path.join(home, 'native/bin'))
  assert.equal(server.answer.relocated, true)
  assert.match(server.answer.notes?.join() ?? '', /copied to/)
})

test(
  'as root with all out of reach, data and binaries live in the system folder',
  asRoot,
  async () => {
    await using folder = await testFolder()
    const home = path.join(folder.dir, 'home')
    await mkdir(home)
    const packageDir = await barePackage(home)
    await chmod(home, 0o700)
    const { systemDir } = folder.options
    const options = { dataDir: path.join(home, 'data'), systemDir, packageDir }
    const first = await startBundledPostgres(options)
    assert.equal(first.relocated, true)
    assert.ok(first.dataDir.startsWith(`${systemDir}/`))
    assert.ok(first.binDir.startsWith(`${systemDir}/postgres-18.`))
    assert.match(first.notes.join('\n'), new RegExp(`the data lives in ${first.dataDir}`))
    await withClient(first.url, client => client.query('create table kept as select 7 as n'))
    await first.stop()
    await chmod(home, 0o755)
    await using second = await startBundledPostgres(options)
    assert.equal(second.dataDir, first.dataDir)
    const { rows } = await withClient(second.url, client => client.query('select n from kept'))
    assert.deepEqual(rows, [{ n: 7 }])
  }
)

test(
  'as root, data that has become out of reach is an error and not an empty start',
  asRoot,
  async () => {
    await using folder = await testFolder()
    const home = path.join(folder.dir, 'home')
    await mkdir(home)
    const options = { ...folder.options, dataDir: path.join(home, 'data') }
    const server = await startBundledPostgres(options)
    await server.stop()
    await chmod(home, 0o700)
    await assert.rejects(startBundledPostgres(options), { code: 'data_unreachable' })
  }
)

test('as an ordinary user it runs as that user', async () => {
  await using folder = await testFolder()
  const packageDir = await barePackage(folder.dir)
  await mkdir(folder.options.dataDir)
  await chmod(folder.options.dataDir, 0o777)
  const become = isRoot ? { become: nobody } : {}
  await using server = await serveInProcess({ ...folder.options, packageDir, ...become })
  assert.equal(server.answer.error, undefined)
  const { uid } = await stat(path.join(server.answer.dataDir!, 'cluster'))
  assert.equal(uid, isRoot ? nobody : process.getuid?.())
  assert.match(server.answer.notes?.join() ?? '', /^(PostgreSQL's binaries were copied[^,]*)?$/)
})

test(
  'as root, data of an ordinary user goes on as that user, and not the other way round',
  asRoot,
  async () => {
    await using folder = await testFolder()
    await mkdir(folder.options.dataDir)
    await chmod(folder.options.dataDir, 0o777)
    const packageDir = await barePackage(folder.dir)
    const options = { ...folder.options, packageDir }
    {
      await using ordinary = await serveInProcess({ ...options, become: nobody })
      assert.equal(ordinary.answer.error, undefined)
    }
    {
      await using root = await startBundledPostgres(options)
      assert.equal(root.user, 'nobody')
    }
    {
      await using other = await serveInProcess({ ...options, become: nobody - 1 })
      assert.equal(other.answer.error?.code, 'data_unreachable')
    }
    await using again = await serveInProcess({ ...options, become: nobody })
    assert.equal(again.answer.error, undefined)
  }
)

test('binaries that can not run say how to set DATABASE_URL', async () => {
  await using folder = await testFolder()
  const packageDir = await barePackage(folder.dir)
  await rm(path.join(packageDir, 'native/lib/libicui18n.so.60.2'))
  await assert.rejects(startBundledPostgres({ ...folder.options, packageDir }), {
    code: 'cannot_run',
    message: /DATABASE_URL=postgres:/
  })
})
