import { createGate, GateFullError } from '../lib/gate.ts'
import type { ListKey } from '../ports/feeds.ts'
import { type BuildContext, type Built, buildFeed, buildTimeline } from './build.ts'

export interface BuildersOptions extends BuildContext {
  /** Lists built at the same time; the Store has to bear it. */
  readonly concurrency: number
  /** Lists that wait for their turn. Beyond it a request is forgotten: whoever reads the list asks again. */
  readonly queueMax?: number
}

/** Builds cold lists in the background, a bounded number at once, each at most once at a time. */
export interface Builders extends AsyncDisposable {
  /** Asks for a list. Nobody waits, and failures only go to telemetry. */
  request(list: ListKey): void
  /**
   * Builds a list and waits for it: what the Store held as it was called is in it. Rejects when that fails, and
   * with GateFullError when too many wait.
   */
  build(list: ListKey): Promise<Built>
  /** Resolves when nothing is asked for or at work. */
  idle(): Promise<void>
}

const QUEUE_MAX = 10_000

export function createBuilders(options: BuildersOptions): Builders {
  const { concurrency, queueMax = QUEUE_MAX, telemetry } = options
  const gate = createGate({ concurrency, queueMax })
  const flights = new Map<ListKey, Promise<Built>>()
  let closed = false

  function run(list: ListKey): Promise<Built> {
    const joined = flights.get(list)
    if (joined !== undefined) return joined
    const work = async () => (closed ? 'lost' : buildList(options, list))
    const flight = gate.run(work).finally(() => flights.delete(list))
    flights.set(list, flight)
    return flight
  }

  async function idle(): Promise<void> {
    while (flights.size > 0) await Promise.allSettled(flights.values())
  }

  function report(list: ListKey, error: unknown): void {
    telemetry.count('build_failed')
    const level = error instanceof GateFullError ? 'debug' : 'warn'
    telemetry.log(level, 'A list could not be built; pages come from the Store', { list, error })
  }

  return {
    request(list) {
      run(list).catch(error => report(list, error))
    },
    async build(list) {
      // A build at work may have read before; it is waited for, and then the list is begun anew.
      await Promise.allSettled([flights.get(list)])
      return run(list)
    },
    idle,
    async [Symbol.asyncDispose]() {
      closed = true
      await idle()
    }
  }
}

function buildList(context: BuildContext, list: ListKey): Promise<Built> {
  const [kind, user] = list.split(':')
  return kind === 'feed' ? buildFeed(context, Number(user)) : buildTimeline(context, Number(user))
}
