import assert from 'node:assert/strict'
import test from 'node:test'
import { openLog } from '../../../../../testkit/kafka.ts'
import { service, without } from '../../../../../testkit/services.ts'
import { eventLogConformance } from '../../ports/event-log.conformance.ts'

const missing = without('kafka')

if (missing === false) {
  const make = async (t: test.TestContext) => {
    const url = service(t, 'kafka')
    assert.ok(url)
    const { log } = await openLog(t, url)
    return log
  }
  eventLogConformance('Kafka event log', make, { assigns: 'partitions' })
} else {
  test('Kafka event log', { skip: missing }, () => {})
}
