import type { ListKey } from '../../ports/feeds.ts'

/** Names of keys. The user's number is the hash tag: all that is one user's lies in one slot. */
export interface Keys {
  list(key: ListKey): string
  rules(reader: number): string
  session(reader: number): string
  /** The channel of changes, and the key that numbers its messages. */
  readonly changes: string
  guard(tag: number): string
  /** Holds the epoch of the Store that all lists were made under. */
  readonly epoch: string
  /** What is dropped with old data: lists, rules and sessions. */
  isOurs(key: string): boolean
  isList(key: string): boolean
  readonly pattern: string
}

export function createKeys(prefix: string): Keys {
  const within = (key: string, pattern: RegExp) =>
    key.startsWith(prefix) && pattern.test(key.slice(prefix.length))
  return {
    list(key) {
      const [kind, user] = key.split(':')
      return `${prefix}${kind}:{${user}}`
    },
    rules: reader => `${prefix}rules:{${reader}}`,
    session: reader => `${prefix}session:{${reader}}`,
    changes: `${prefix}changes:{changes}`,
    epoch: `${prefix}epoch:{epoch}`,
    guard: tag => `${prefix}guard:{${tag}}`,
    isOurs: key => within(key, /^(feed|timeline|rules|session):\{\d+\}$/),
    isList: key => within(key, /^(feed|timeline):\{\d+\}$/),
    pattern: `${prefix.replaceAll(/[*?[\]\\]/g, '\\$&')}*`
  }
}
