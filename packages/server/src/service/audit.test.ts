import assert from 'node:assert/strict'
import test from 'node:test'
import { openWriteWorld, type WriteWorld } from '../../../../testkit/write-world.ts'
import { CursorCodec } from '../domain/cursor.ts'
import { GateFullError } from '../lib/gate.ts'
import { createPager } from '../page/page.ts'
import { createAudit } from './audit.ts'
import { createDirectory } from './directory.ts'
import { NO_SESSION } from './session.ts'

function auditOf(world: WriteWorld, build: () => Promise<unknown>) {
  const { store, feeds, log, clock, telemetry, limits } = world
  const ports = { store, feeds, log, clock, telemetry, limits }
  return createAudit({
    ...ports,
    directory: createDirectory(ports),
    pager: createPager({ ...ports, requestBuild() {} }),
    cursors: new CursorCodec('secret'),
    owed: { add() {}, owes: () => false },
    seen() {},
    ...NO_SESSION,
    buildersIdle: async () => {},
    build,
    mode: 'test',
    roles: []
  })
}

test('a full queue of builders is told as unavailable, a defect is not', async t => {
  const world = await openWriteWorld(t)
  await world.users('ann')
  const full = auditOf(world, () => Promise.reject(new GateFullError(10_000)))
  await assert.rejects(full.rebuild('ann'), { code: 'unavailable' })
  await assert.rejects(full.verify('ann'), { code: 'unavailable' })
  const broken = auditOf(world, () => Promise.reject(new TypeError('x is undefined')))
  await assert.rejects(broken.rebuild('ann'), TypeError)
})
