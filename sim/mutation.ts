import type { Quarry } from './hunt.ts'

const SERVER = 'packages/server/src'

/** A known mistake: a piece of a file that stands there once, and what stands there instead. */
export function mutation(
  name: string,
  off: string,
  file: string,
  find: string,
  replace: string,
  scenario: Quarry['scenario']
): Quarry {
  const folder = file.startsWith('sim/') ? '' : `${SERVER}/`
  return { name, off, file: `${folder}${file}`, find, replace, scenario }
}
