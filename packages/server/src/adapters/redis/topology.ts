import type { RedisNode } from './node.ts'

/** Which server has a key. */
export interface Topology extends AsyncDisposable {
  /** Undefined: nothing is known yet. */
  nodeOf(key: string): RedisNode | undefined
  /** By `host:port`, as redirections name it. */
  nodeAt(address: string): RedisNode
  /** Every server that has keys. */
  masters(): readonly RedisNode[]
  /** A server said that a slot is another's. */
  moved(slot: number, address: string): void
  /** A server could not do what was asked: it may have been replaced. */
  suspect(slot: number): void
  /** Nothing is known yet, but it may be soon. */
  readonly mayReturn: boolean
}

export function createSingleTopology(node: RedisNode): Topology {
  return {
    nodeOf: () => node,
    nodeAt: () => node,
    masters: () => [node],
    moved: () => {},
    suspect: () => {},
    mayReturn: true,
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose]()
  }
}
