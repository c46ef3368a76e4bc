import type { Batch, JsonObject } from '@fanwise/sdk'
import type { App } from './app.ts'
import { type CommunityOptions, generateCommunity } from './cli/generate/community.ts'
import { loadCommunity } from './cli/generate/load-community.ts'

export const DEMO = { users: 1000, posts: 20_000, follows: 40, likes: 8000, days: 30, seed: 1 }

/** An attribute of the first person while the demo is not complete: when its story ends, Unix ms. */
const LOADING = 'demoStoryEnds'

/** Says at every quarter how far it is. */
const TELL_PART = 0.25

/**
 * Fills an empty database with a generated community. A load that was cut short, even by a kill, is gone on with: the
 * same seed and end of the story make the same batches, which change nothing where they were applied before. Returns
 * early, without an error, when `signal` aborts.
 */
export async function loadDemo(
  app: Pick<App, 'feed' | 'ports'>,
  signal: AbortSignal,
  say: (line: string) => void,
  size: Omit<CommunityOptions, 'now'> = DEMO
): Promise<void> {
  const { admin } = app.feed
  const first = firstPerson(size)
  const now = await storyEnd(app, first.id)
  if (now === null) return
  const [people, posts] = [size.users, size.posts].map(count => count.toLocaleString('en'))
  say(`  Loading a demo community of ${people} people and ${posts} posts ...`)
  const began = performance.now()
  const load = loadCommunity(admin, { ...size, now }, teller(signal, say), batch =>
    marked(batch, first.id, now)
  )
  await load.catch(error => {
    if (!signal.aborted) throw error
  })
  if (signal.aborted) return say('  The demo is not complete; the next start goes on with it.')
  await admin.putUser(first.id, { attributes: first.attributes })
  say(`  The demo is loaded (${Math.round((performance.now() - began) / 1000)} s).\n`)
}

/** Null: there is nothing to load. */
async function storyEnd({ ports }: Pick<App, 'ports'>, first: string): Promise<number | null> {
  const { users } = await ports.store.stats()
  if (users === 0) return Date.now()
  const [person] = await ports.store.usersByIds([first])
  const end = person?.attributes[LOADING]
  return typeof end === 'number' ? end : null
}

/** Who is there in every demo of this size. */
export function firstPerson(size: Omit<CommunityOptions, 'now'>): {
  id: string
  attributes: JsonObject
} {
  const [batch] = generateCommunity({ ...size, now: 0 })
  const [person] = batch?.users ?? []
  return { id: person?.id ?? '', attributes: person?.attributes ?? {} }
}

/** The first batch makes the mark and the people in one transaction: nobody is there without it. */
function marked(batch: Batch, first: string, end: number): Batch {
  if (batch.users === undefined) return batch
  const users = batch.users.map(user =>
    user.id === first ? { ...user, attributes: { ...user.attributes, [LOADING]: end } } : user
  )
  return { ...batch, users }
}

function teller(signal: AbortSignal, say: (line: string) => void): (part: number) => void {
  let told = 0
  return part => {
    signal.throwIfAborted()
    if (part - told < TELL_PART) return
    told = part
    say(`  ${Math.round(part * 100)} %`)
  }
}
