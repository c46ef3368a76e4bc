// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text
import type { Quarry } from './hunt.ts'
import { mutation } from './mutation.ts'
import { RULE_MUTATIONS } from './rule-mutations.ts'

/** Known mistakes, each of which the simulator has to find. */
export const MUTATIONS: readonly Quarry[] = [
  // How a list is read.
  mutation(
    'floor',
    'only what is above the floor of a list counts',
    'domain/arrival-list.ts',
    'marker === null ? ids.filter(id => id > floor) : ids',
    'ids',
    'trimmed'
  ),
  mutation(
    'floor-end',
    'below the floor the Store is read',
    'page/skeleton.ts',
    'exhausted: above <= until && ids.length < want',
    'exhausted: ids.length < want',
    'too many'
  ),
  mutation(
    'window',
    'a read goes on until its oldest id in time is a window older',
    'domain/arrival-list.ts',
    'end <= shiftId(oldest ?? END, WINDOW_MS)',
    'end <= (oldest ?? END)',
    'held up'
  ),
  mutation(
    'floor-window',
    'without a marker the floor is a window above the oldest id in time',
    'domain/arrival-list.ts',
    'return oldest === null ? null : shiftId(oldest, WINDOW_MS)',
    'return oldest',
    'trimmed'
  ),
  mutation(
    'late-mark',
    'an id that comes late is marked',
    'adapters/memory/feeds.ts',
    'push.late || id < lateBelow',
    'push.late',
    'late'
  ),
  mutation(
    'late-reply',
    'a list is dropped when a push to it took too long',
    'sim/feeds-client.ts',
    'await drop([list])',
    '',
    'overdue'
  ),
  mutation(
    'settle-floor',
    'settling drops what is at or below the floor',
    'domain/arrival-list.ts',
    'const list = inOrder(page.ids, page.floor, cap)',
    'const list = inOrder(newestFirst(entries.filter(e => !isFloor(e)).map(idOf)), page.floor, cap)',
    'settled old'
  ),
  mutation(
    'trim-floor',
    'a list that settles above the cap gets the first id that it drops as its floor',
    'domain/arrival-list.ts',
    'floorEntry(ids[cap] ?? floor)',
    'floorEntry(floor)',
    'settled long'
  ),
  mutation(
    'future',
    'an import brings no posts that are ahead of the clocks',
    'domain/post-time.ts',
    'createdAt <= now + CLOCKS_MS',
    'createdAt <= now + 20 * CLOCKS_MS',
    'ahead'
  ),
  // How a list is built.
  mutation(
    'build-first',
    'a list begins before the Store is read',
    'rebuild/build.ts',
    "if (!(await feeds.begin(list, token))) return 'busy'\n  const ids = await read(limits.cap + 1)",
    "const ids = await read(limits.cap + 1)\n  if (!(await feeds.begin(list, token))) return 'busy'",
    'posted meanwhile'
  ),
  mutation(
    'build-token',
    'only the builder whose token is in the list may end its build',
    'domain/arrival-list.ts',
    'entries.at(-1) !== buildEntry(token)',
    "!isBuild(entries.at(-1) ?? '')",
    'slow builder'
  ),
  mutation(
    'build-life',
    'a list that is being built lives for a short time',
    'adapters/memory/feeds.ts',
    'this.#after(this.#options.limits.buildMs)',
    'this.#after(this.#options.limits.idleMs)',
    'dead builder'
  ),
  mutation(
    'build-renewal',
    'reading does not prolong the life of a list that is being built',
    'adapters/memory/feeds.ts',
    "list && page.state === 'warm'",
    "list && page.state !== 'cold'",
    'dead builder'
  ),
  mutation(
    'build-merge',
    'a build keeps what was pushed meanwhile',
    'domain/arrival-list.ts',
    'const merged = [...ids, ...pushed]',
    'const merged = [...ids, ...pushed.slice(0, 0)]',
    'posted meanwhile'
  ),
  mutation(
    'build-kept',
    'lists hold the posts of suspended authors: they may come back',
    'rebuild/build.ts',
    "context.store.homeIds(reader, END, limit, 'kept')",
    'context.store.homeIds(reader, END, limit)',
    'suspended'
  ),
  // What a write does before it is answered.
  mutation(
    'own-push',
    'the own post is in the own feed before the answer',
    'publish/posts.ts',
    'const push = () => feeds.push([{ list: `feed:${author}`, id }])',
    'const push = async () => [`feed:${author}`, feeds]',
    'own post'
  ),
  mutation(
    'drop-rules',
    'an answer waits until the cached rules are dropped',
    'publish/relations.ts',
    "await insist('dropping the cached rules', () =>\n    feeds.dropRules(both ? [reader, author] : [reader])\n  )",
    'void both',
    'at once'
  ),
  mutation(
    'drop-rules-both',
    'a block drops the cached rules of both',
    'publish/relations.ts',
    'both ? [reader, author] : [reader]',
    'both ? [reader] : [reader]',
    'at once'
  ),
  mutation(
    'announce-delete',
    'an answer waits until a delete is announced',
    'publish/posts.ts',
    "await insist('telling all servers', () => context.feeds.announce({ posts: [id] }))",
    '',
    'not heard'
  ),
  mutation(
    'backfill-cap',
    'a feed that would get more than it holds is dropped',
    'rebuild/backfill.ts',
    "if (ids.length > limits.cap) {\n      await feeds.drop([list])\n      return 'dropped'\n    }",
    'ids.splice(limits.cap)',
    'too many'
  ),
  mutation(
    'backfill-building',
    'a feed that is being built gets all of a followed author',
    'domain/arrival-list.ts',
    'if (isBuild(last)) return BEGINNING',
    'if (isBuild(last)) return null',
    'followed meanwhile'
  ),
  mutation(
    'backfill-lowest',
    'a backfill goes down to the lowest floor that the list can come to claim',
    'domain/arrival-list.ts',
    'return [marker, window].filter(',
    'return marker ?? [marker, window].filter(',
    'lower floor'
  ),
  // What the relay and workers do.
  mutation(
    'late-commits',
    'rows are read as not published, never as after the last one',
    'adapters/memory/store/outbox.ts',
    'const rows = [...this.#tables.outbox.values()].filter(({ lane }) => wanted.has(lane))',
    'const last = Math.max(0, ...this.#tables.published.keys())\n' +
      '    const rows = [...this.#tables.outbox.values()].filter(r => wanted.has(r.lane) && r.seq > last)',
    'held up'
  ),
  mutation(
    'publish-after',
    'a row is marked as published when its event is safe',
    'relay/relay.ts',
    'await log.append(events)\n        await lanes.markPublished(events.map(({ id }) => id))',
    'await lanes.markPublished(events.map(({ id }) => id))\n        await log.append(events)',
    'dead process'
  ),
  mutation(
    'commit-after',
    'an offset is committed after the work',
    'sim/broker-client.ts',
    'await this.#insist(() => this.#handler.handle(events))\n',
    'await this.#insist(() => this.#machine.call(async () => this.#broker.commit(this.#partition, this.#generation, end)))\n' +
      '    await this.#insist(() => this.#handler.handle(events))\n',
    'dead worker'
  ),
  mutation(
    'own-always',
    'the worker pushes to the own feed of an author who is pulled, too',
    'fanout/push-posts.ts',
    '{ list: `feed:${author}`, id }\n    ])',
    '...(pulled.has(author) ? [] : [{ list: `feed:${author}`, id }])\n    ])',
    'own feed'
  ),
  mutation(
    'timeline-always',
    'the worker pushes to the timeline of an author who is pushed, too',
    'fanout/push-posts.ts',
    '{ list: `timeline:${author}`, id },',
    '...(pulled.has(author) ? [{ list: `timeline:${author}`, id }] : []),',
    'promoted again'
  ),
  mutation(
    'worker-backfill',
    'the worker does the backfill again',
    'fanout/look-again.ts',
    'relations.filter((_, index) => follows[index])',
    'relations.filter((_, index) => follows[index] && index < 0)',
    'lost follow'
  ),
  mutation(
    'rules-event',
    'the worker drops the cached rules again',
    'fanout/handle-batch.ts',
    'if (rules.size > 0) await feeds.dropRules([...rules])',
    'void rules',
    'lost mute'
  ),
  mutation(
    'slices',
    'every slice of the followers gets a post',
    'fanout/follower-slices.ts',
    'return followers.length === limits.slice',
    'return followers.length > limits.slice',
    'slices'
  ),
  mutation(
    'backlog',
    'posts too old to be pushed have the feeds dropped that they belong to',
    'fanout/handle-batch.ts',
    '...(await dropBacklog(context, work.backlog, pulled))',
    '',
    'backlog'
  ),
  // How delivery is switched.
  mutation(
    'two-phase',
    'in the state both posts are still pushed',
    'fanout/pulled-authors.ts',
    "delivery === 'pull'",
    "delivery !== 'push'",
    'both ways'
  ),
  mutation(
    'tell-followers',
    'the rules of all followers are dropped before pushing ends',
    'fanout/switches.ts',
    'await dropFollowerRules(context, author)',
    '',
    'promoted'
  ),
  mutation(
    'pull-until',
    'who is pushed again is still merged for the time in which they were not',
    'fanout/policy.ts',
    'boundAt(clock.now() + WINDOW_MS)',
    "'0'",
    'demoted'
  ),
  mutation(
    'switch-version',
    'a switch is a compare-and-set on the version',
    'adapters/memory/store/delivery.ts',
    'if (now.delivery !== from.delivery || now.version !== from.version) return false',
    '',
    'stale switch'
  ),
  // What a page does.
  mutation(
    'rules-first',
    'a page reads the rules before the feed',
    'page/home.ts',
    'const { rules, posts, passing } = await lookFor(',
    'const { feeds } = given\n' +
      '  const mine = `feed:${reader}`\n' +
      '  const early = await feeds.take(mine, END, 1000).catch(() => null)\n' +
      '  const take = async (list, below, limit) =>\n' +
      '    list !== mine || early === null ? feeds.take(list, below, limit)\n' +
      '      : { ...early, ids: early.ids.filter(id => id < below).slice(0, limit) }\n' +
      '  Object.assign(given, { feeds: { ...feeds, take } })\n' +
      '  const { rules, posts, passing } = await lookFor(',
    'rules first'
  ),
  mutation(
    'lease',
    'rules are kept only under the lease that they were loaded under',
    'adapters/memory/feeds/rules-cache.ts',
    "if (held !== undefined && 'lease' in held && held.lease === lease) {",
    'if (lease !== undefined || held) {',
    'loaded before'
  ),
  mutation(
    'merge',
    'timelines of followees who are not pushed are merged',
    'domain/rules.ts',
    'return pulledUntil > floor',
    'return pulledUntil > floor && pulledUntil !== PULLED_NOW',
    'promoted again'
  ),
  mutation(
    'tombstone',
    'deleted posts are filtered',
    'page/hydrate.ts',
    'post && !post.deleted &&',
    'post &&',
    'not heard'
  ),
  mutation(
    'in-step',
    'a process that may have missed a change uses no cached body',
    'page/caches.ts',
    'const usable = () => feeds.inStep()',
    'const usable = () => true',
    'not heard'
  ),
  mutation(
    'looked-at',
    'a page goes on behind the last id that it showed',
    'page/fill.ts',
    'return kept[need - 1]?.id ?? null',
    'return stretch.ids.at(-1) ?? null',
    'trimmed'
  ),
  mutation(
    'seam',
    'below the floor the Store is read from the floor on',
    'page/lists.ts',
    '(BigInt(floor) + 1n).toString()',
    'floor',
    'trimmed'
  ),
  ...RULE_MUTATIONS
]
