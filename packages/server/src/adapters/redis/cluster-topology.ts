import { type Loop, loop } from '../../lib/loop.ts'
import type { Clock } from '../../ports/clock.ts'
import { RedisFailure } from './failure.ts'
import { openLink, type Reply } from './link.ts'
import type { RedisNode } from './node.ts'
import { SLOTS, slotOf } from './slots.ts'
import type { Topology } from './topology.ts'
import { withDeadline } from './with-deadline.ts'

export interface ClusterTopologyOptions {
  /** Where to ask first. Their user, password and protocol hold for every node. */
  readonly seeds: readonly string[]
  readonly clock: Clock
  readonly timeoutMs: number
  readonly makeNode: (url: string, cluster: ClusterView) => RedisNode
}

/** What a node needs to know of its Cluster. */
export interface ClusterView {
  tag(url: string): number | undefined
  /** Asks another node. @throws RedisFailure when `url` is a replica there */
  confirm(url: string): Promise<void>
}

const REFRESH_MS = 5000
const SUSPECT_MS = 100

type Ranges = readonly (readonly [number, number, ...Reply[]])[]

export class ClusterTopology implements Topology {
  readonly #options: ClusterTopologyOptions
  readonly #nodes = new Map<string, RedisNode>()
  readonly #owners: (string | undefined)[] = new Array(SLOTS)
  readonly #replicas = new Set<string>()
  readonly #loop: Loop
  readonly #bornAt: number
  #refreshedAt = -Infinity

  constructor(options: ClusterTopologyOptions) {
    const { clock } = options
    this.#options = options
    this.#bornAt = clock.monotonic()
    const once = async () => {
      await this.#refresh()
      return 0
    }
    this.#loop = loop({ once, clock, idleMs: REFRESH_MS, retryMs: SUSPECT_MS, onError: () => {} })
  }

  get mayReturn(): boolean {
    return this.#options.clock.monotonic() - this.#bornAt < SUSPECT_MS * 20
  }

  nodeOf(key: string): RedisNode | undefined {
    const url = this.#owners[slotOf(key)]
    return url === undefined ? undefined : this.#node(url)
  }

  nodeAt(address: string): RedisNode {
    return this.#node(this.#urlOf(address))
  }

  masters(): readonly RedisNode[] {
    return [...new Set(this.#owners)].filter(url => url !== undefined).map(url => this.#node(url))
  }

  moved(slot: number, address: string): void {
    this.#owners[slot] = this.#urlOf(address)
    this.suspect()
  }

  suspect(): void {
    if (this.#options.clock.monotonic() - this.#refreshedAt > SUSPECT_MS) this.#loop.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]()
    await Promise.all([...this.#nodes.values()].map(node => node[Symbol.asyncDispose]()))
  }

  #node(url: string): RedisNode {
    const known = this.#nodes.get(url)
    if (known !== undefined) return known
    const node = this.#options.makeNode(url, {
      tag: url => this.#tag(url),
      confirm: url => this.#confirm(url)
    })
    this.#nodes.set(url, node)
    return node
  }

  /** The first number whose slot is this node's: the same in every process. */
  #tag(url: string): number | undefined {
    if (!this.#owners.includes(url)) return undefined
    for (let tag = 0; ; tag++) if (this.#owners[slotOf(String(tag))] === url) return tag
  }

  async #confirm(url: string): Promise<void> {
    await this.#refresh(url)
    if (this.#replicas.has(url)) throw new RedisFailure('readonly', 'Not a master any more')
  }

  async #refresh(except?: string): Promise<void> {
    this.#refreshedAt = this.#options.clock.monotonic()
    const { ranges, host } = await this.#slots(except)
    this.#replicas.clear()
    for (const [first, last, ...servers] of ranges) {
      const [master, ...replicas] = servers.map(server => this.#urlOf(addressOf(server, host)))
      this.#owners.fill(master, first, last + 1)
      for (const url of replicas) this.#replicas.add(url)
    }
    const masters = new Set(this.#owners)
    for (const url of masters) if (url !== undefined) this.#node(url)
    await this.#retire(url => !masters.has(url))
  }

  async #retire(isGone: (url: string) => boolean): Promise<void> {
    const gone = [...this.#nodes].filter(([url, node]) => isGone(url) && !node.ready)
    for (const [url, node] of gone) {
      this.#nodes.delete(url)
      node.retire().catch(() => {})
    }
  }

  /** The map of slots, by the first that answers; one that is not connected yet is asked in passing. */
  async #slots(except?: string): Promise<{ ranges: Ranges; host: string }> {
    for (const [url, node] of this.#nodes) {
      if (url === except || !node.ready) continue
      const ranges = await node.query(['CLUSTER', 'SLOTS']).catch(() => null)
      if (ranges !== null) return { ranges: ranges as unknown as Ranges, host: hostname(url) }
    }
    const urls = new Set([...this.#options.seeds, ...this.#nodes.keys()])
    for (const url of [...urls].sort((a, b) => Number(a === except) - Number(b === except))) {
      const ranges = await this.#ask(url).catch(() => null)
      if (ranges !== null) return { ranges, host: hostname(url) }
    }
    throw new RedisFailure('unsent', 'No node of the Cluster can be reached')
  }

  async #ask(url: string): Promise<Ranges> {
    const link = await openLink({ ...this.#options, url })
    try {
      const slots = link.send(['CLUSTER', 'SLOTS'])
      return (await withDeadline(slots, this.#options)) as unknown as Ranges
    } finally {
      link.close()
    }
  }

  #urlOf(address: string): string {
    const url = new URL(this.#options.seeds[0] ?? '')
    const host = address.slice(0, address.lastIndexOf(':'))
    url.hostname = host.includes(':') ? `[${host}]` : host
    url.port = address.slice(address.lastIndexOf(':') + 1)
    return url.href
  }
}

function addressOf(server: Reply, asked: string): string {
  const [name, port] = server as [string | null, number]
  return `${name || asked}:${port}`
}

function hostname(url: string): string {
  return new URL(url).hostname
}
