import type { Ports } from './feed.ts'

/** Each dependency by the name of its port: `ok`, or what is wrong with it. */
export async function healthOf({ store, feeds, log }: Ports): Promise<Record<string, string>> {
  const [storeState, feedsState, logState] = await Promise.all([
    stateOf(() => store.ping()),
    stateOf(() => feeds.stats()),
    stateOf(() => log.pending())
  ])
  return { store: storeState, feeds: feedsState, log: logState }
}

async function stateOf(ask: () => Promise<unknown>): Promise<string> {
  try {
    await ask()
    return 'ok'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
