// Loaded into every test process: no test file hangs, and none leaves a timer, socket or child open.
import { after } from 'node:test'
import { fileLimitMs, leakLimitMs } from './time-limits.ts'

function endAfter(limitMs: number, reason: string): void {
  const end = () => {
    const open = process.getActiveResourcesInfo().filter(kind => kind !== 'Timeout')
    process.stderr.write(`${process.argv[1]}: ${reason} (open: ${open.join(', ') || 'a timer'})\n`)
    process.exit(1)
  }
  setTimeout(end, limitMs).unref()
}

endAfter(fileLimitMs, `not done after ${fileLimitMs / 1000} s`)
after(() => endAfter(leakLimitMs, `still running ${leakLimitMs / 1000} s after its last test`))
