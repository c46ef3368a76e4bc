import { createHash } from 'node:crypto'
import type { Entry } from '../../domain/entry.ts'

/** Tells two states of a list apart; the scripts compute the same. */
export function digestOf(entries: readonly Entry[]): string {
  return createHash('sha1').update(entries.join(' ')).digest('hex')
}
