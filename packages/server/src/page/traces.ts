import { changesRules, type Trace } from '../domain/commit.ts'
import type { PostId } from '../domain/post-id.ts'
import { PULLED_NOW, type Rules } from '../domain/rules.ts'
import type { ListKey } from '../ports/feeds.ts'
import type { Store } from '../ports/store.ts'
import type { Caches } from './caches.ts'
import { followedBy } from './followed.ts'
import { type RulesContext, readRules } from './rules.ts'

export interface TraceContext extends RulesContext {
  readonly store: RulesContext['store'] & Pick<Store, 'follows'>
  readonly caches: Pick<Caches, 'posts'>
}

/** What a read has to reckon with. */
export interface Sought {
  readonly rules: Rules
  /** Posts that belong into the reader's feed, though its warm list may lack them. */
  readonly posts: readonly PostId[]
  /** Timelines that are merged for the traces alone: soon the feed holds what is in them. */
  readonly passing: ReadonlySet<ListKey>
}

/** The reader's rules, from the Store if a trace says that they changed; changed posts are loaded again. @throws Problem unavailable */
export async function rulesAfter(
  context: TraceContext,
  reader: number,
  traces: readonly Trace[]
): Promise<Rules> {
  context.caches.posts.forget(postTraces(traces).map(({ post }) => post))
  return readRules(context, reader, changesRules(traces, reader))
}

/**
 * Looks in the Store for what the traces name, and waits for nothing. Posts of an author whom the reader followed since
 * may not be in their feed yet: such an author is merged like one who is not pushed. @throws Problem unavailable
 */
export async function lookFor(
  context: TraceContext,
  reader: number,
  traces: readonly Trace[]
): Promise<Sought> {
  const rules = await rulesAfter(context, reader, traces)
  const posts = postTraces(traces)
  const followed = traces.flatMap(trace =>
    trace.kind === 'follow' && trace.reader === reader ? [trace.author] : []
  )
  // A trace may be older than an unfollow of which no cut is left.
  const authors = [...followed, ...posts.map(({ author }) => author)]
  const shown = await followedBy(context.store, reader, [...new Set(authors)])
  const merged = followed
    .filter(author => shown.has(author))
    .map(author => [author, PULLED_NOW] as const)
  return {
    rules:
      merged.length === 0 ? rules : { ...rules, pulled: new Map([...rules.pulled, ...merged]) },
    posts: posts.filter(({ author }) => shown.has(author)).map(({ post }) => post),
    passing: new Set(
      followed
        .filter(author => !rules.pulled.has(author))
        .map(author => `timeline:${author}` as const)
    )
  }
}

function postTraces(traces: readonly Trace[]) {
  return traces.filter(trace => trace.kind === 'post')
}
