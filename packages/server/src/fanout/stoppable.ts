import type { Turn } from './in-turns.ts'

/** Turns of which none starts once `signal` aborts: its reason is thrown instead. */
export function stoppable(turns: readonly Turn[], signal: AbortSignal): Turn[] {
  return turns.map(turn => () => {
    signal.throwIfAborted()
    return turn()
  })
}
