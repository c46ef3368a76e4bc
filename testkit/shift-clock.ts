// Loaded before a server: SIGUSR2 sets its wall clock off by the milliseconds in the file of FANWISE_TEST_CLOCK.
import { readFileSync } from 'node:fs'

const file = process.env.FANWISE_TEST_CLOCK
const RealDate = Date
let offsetMs = 0

class ShiftedDate extends RealDate {
  constructor(...args: unknown[]) {
    super(...((args.length === 0 ? [RealDate.now() + offsetMs] : args) as [number]))
  }

  static override now(): number {
    return RealDate.now() + offsetMs
  }
}

globalThis.Date = ShiftedDate as DateConstructor
process.on('SIGUSR2', () => {
  if (file !== undefined) offsetMs = Number(readFileSync(file, 'utf8'))
})
