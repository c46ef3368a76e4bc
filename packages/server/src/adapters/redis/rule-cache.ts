import type { Rules } from '../../domain/rules.ts'
import type { RulesRead } from '../../ports/feeds.ts'
import { type Commands, defineScript } from './commands.ts'
import { RedisFailure } from './failure.ts'
import type { Keys } from './keys.ts'
import { dropCommand, runAll } from './push-each.ts'
import { readRules, writeRules } from './rules-text.ts'

const LEASE_MS = 5000
const RULES_MS = 3_600_000

/** What stands under a reader's key: rules, or the lease of who loads them. */
const LEASE = 'L'
const RULES = 'R'

/** ARGV: lease, rules, ttl in ms. */
const FILL = defineScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`)

export interface RuleCacheOptions {
  readonly commands: Commands
  readonly keys: Keys
  /** A text that no other call in the fleet gives. */
  readonly makeToken: () => string
}

/** Readers' rules, each filled under the lease of whoever loads them: a change meanwhile voids it. */
export class RuleCache {
  readonly #options: RuleCacheOptions

  constructor(options: RuleCacheOptions) {
    this.#options = options
  }

  async read(reader: number): Promise<RulesRead> {
    const key = this.#options.keys.rules(reader)
    const held = await this.#ask({ key, args: () => ['GET', key] })
    if (held !== null) return readOf(held)
    const lease = this.#options.makeToken()
    const mine = LEASE + lease
    const set = ['SET', key, mine, 'NX', 'GET', 'PX', String(LEASE_MS)]
    try {
      const other = await this.#ask({ key, args: () => set })
      return other === null || other === mine ? { lease } : readOf(other)
    } catch (error) {
      if (error instanceof RedisFailure && error.kind === 'oom') return { lease: null }
      throw error
    }
  }

  async fill(reader: number, lease: string, rules: Rules): Promise<void> {
    const key = this.#options.keys.rules(reader)
    const argv = [LEASE + lease, RULES + writeRules(rules), String(RULES_MS)]
    await this.#options.commands.ask('fill', { key, script: FILL, argv }, { patient: false })
  }

  async drop(readers: readonly number[]): Promise<void> {
    const { commands, keys } = this.#options
    await runAll(
      commands,
      'drop',
      readers.map(reader => dropCommand(keys.rules(reader)))
    )
  }

  async #ask(command: { key: string; args: () => readonly string[] }): Promise<string | null> {
    const { commands } = this.#options
    return (await commands.ask('rules', command, { patient: false })) as string | null
  }
}

function readOf(held: string): RulesRead {
  return held.startsWith(RULES) ? { rules: readRules(held.slice(1)) } : { lease: null }
}
