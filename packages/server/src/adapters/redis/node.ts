import { FLIGHT_MS } from '../../domain/limits.ts'
import { type Loop, loop } from '../../lib/loop.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { type Command, DROPPED } from './commands.ts'
import { Doubts } from './doubts.ts'
import { failureOf, RedisFailure } from './failure.ts'
import { bless, keepBlessed, removeOurs } from './guard.ts'
import { meet, offsetOf, replicationId, type Server } from './handshake.ts'
import type { Keys } from './keys.ts'
import { type Link, openLink, type Reply } from './link.ts'
import { withDeadline, withinDeadline } from './with-deadline.ts'
import { writeCommand } from './write-command.ts'

export interface NodeOptions {
  readonly url: string
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly keys: Keys
  readonly ownsDatabase: boolean
  readonly timeoutMs: number
  /** The tag of this node's guard; undefined when it has no slot. */
  readonly tag: () => number | undefined
  /** Rejects when others say that this is no longer a master. */
  readonly confirm: () => Promise<void>
  /** Drops lists whose slots went to another node. */
  readonly dropElsewhere: (keys: readonly string[]) => Promise<void>
}

const PULSE_MS = 1000
const RETRY_MS = 50
const RETRY_MAX_MS = 1000
/** A server that was lost is waited for so long; after that callers fail at once. */
const BLINK_MS = 1000
const SETUP_MS = 5000
const UNANSWERED_MAX = 50_000

/** One server: a connection that comes back, known good before it is used, with its clock and its doubts. */
export class RedisNode implements AsyncDisposable {
  readonly #options: NodeOptions
  readonly #doubts = new Doubts()
  readonly #stop = new AbortController()
  readonly #connecting: Loop
  readonly #pulse: Loop
  #link: Link | undefined
  #server: Server | undefined
  /** The identity of the server that this process knows to be good. */
  #blessed: { identity: string; tag: number } | undefined
  #ready = false
  #unanswered = 0
  #failures = 0
  #offsetMs = 0
  #lostAt: number
  #stalledAt: number | undefined

  constructor(options: NodeOptions) {
    const { clock } = options
    this.#options = options
    this.#lostAt = clock.monotonic()
    const once = async () => this.#connectOnce()
    this.#connecting = loop({ once, clock, idleMs: 0, retryMs: 0, onError: () => {} })
    const beat = async () => this.#beat()
    this.#pulse = loop({
      once: beat,
      clock,
      idleMs: PULSE_MS,
      retryMs: PULSE_MS,
      onError: () => {}
    })
  }

  get url(): string {
    return this.#options.url
  }

  get ready(): boolean {
    return this.#ready && this.#stalledAt === undefined
  }

  /** It is being emptied, or was lost only a moment ago: waiting may help. */
  get mayReturn(): boolean {
    if (this.#link !== undefined && this.#stalledAt === undefined) return true
    return this.#options.clock.monotonic() - this.#lostAt < BLINK_MS
  }

  /** Written at once, in the order of the calls. Rejects with RedisFailure. */
  async send(command: Command, asking = false): Promise<Reply> {
    const link = this.#writable(asking)
    const madeAt = this.#options.clock.monotonic()
    this.#unanswered++
    try {
      const reply = await writeCommand(link, command, madeAt + this.#offsetMs, asking)
      this.#heard()
      return command.timely && this.#isLate(madeAt)
        ? await this.#dropLate(link, command.key, madeAt)
        : reply
    } catch (error) {
      throw this.#failed(link, command, madeAt, failureOf(error))
    } finally {
      this.#unanswered--
    }
  }

  /** Past the guard: what is asked of the server itself. */
  async query(args: readonly string[]): Promise<Reply> {
    const link = this.#link
    if (link === undefined) throw new RedisFailure('unsent', 'Not connected')
    return withDeadline(link.send(args), this.#options)
  }

  get link(): Link | undefined {
    return this.#ready ? this.#link : undefined
  }

  /** Somebody waited in vain for an answer: until the next one, callers fail at once. */
  stall(): void {
    if (this.#stalledAt === undefined) this.#lostAt = this.#options.clock.monotonic() - BLINK_MS
    this.#stalledAt ??= this.#options.clock.monotonic()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    this.#link?.close()
    await Promise.all([this.#connecting[Symbol.asyncDispose](), this.#pulse[Symbol.asyncDispose]()])
  }

  /** It has no slots any more: what is in doubt here lies on other nodes now. */
  async retire(): Promise<void> {
    await this[Symbol.asyncDispose]()
    const left = this.#doubts.overdue(Infinity)
    if (left.length > 0) await this.#options.dropElsewhere(left)
  }

  #writable(asking: boolean): Link {
    const link = this.#link
    if (link === undefined) throw new RedisFailure('unsent', 'Redis cannot be reached')
    if (this.#stalledAt !== undefined) throw new RedisFailure('unsent', 'Redis does not answer')
    if (!this.#ready || (this.#blessed === undefined && !asking))
      throw new RedisFailure('unsafe', 'Redis may hold old data and is being emptied')
    if (this.#unanswered >= UNANSWERED_MAX) throw new RedisFailure('unsent', 'Redis is too slow')
    return link
  }

  #failed(link: Link, command: Command, madeAt: number, failure: RedisFailure): RedisFailure {
    if (failure.kind === 'unknown' && command.timely) this.#doubts.add(command.key, madeAt)
    if (failure.kind !== 'unknown' && failure.kind !== 'unsent') this.#heard()
    if (failure.kind === 'readonly' || failure.kind === 'loading') link.close()
    return failure
  }

  #heard(): void {
    this.#stalledAt = undefined
  }

  #isLate(madeAt: number): boolean {
    return this.#options.clock.monotonic() - madeAt >= FLIGHT_MS
  }

  /** On the same connection, so nothing of before comes after it. */
  async #dropLate(link: Link, key: string, madeAt: number): Promise<Reply> {
    this.#doubts.add(key, madeAt)
    await this.#drop(link, key)
    this.#options.telemetry.count('feeds_dropped_late')
    return DROPPED
  }

  async #drop(link: Pick<Link, 'send'>, key: string): Promise<void> {
    const gone = link.send(['UNLINK', key])
    await gone.catch(error => {
      if (!['moved', 'ask'].includes(failureOf(error).kind)) throw error
      return this.#options.dropElsewhere([key])
    })
    this.#doubts.delete(key)
  }

  /** Connects and stays until the connection is lost. */
  async #connectOnce(): Promise<number> {
    try {
      const link = await openLink(this.#options)
      await this.#setUp(link).catch(error => {
        link.close()
        throw error
      })
      await link.lost
      this.#lostAt = this.#options.clock.monotonic()
    } catch (error) {
      this.#options.telemetry.log('debug', 'Redis is not ready', { url: hostOf(this.url), error })
    }
    this.#ready = false
    this.#link = undefined
    this.#stalledAt = undefined
    await this.#options.clock.sleep(this.#pauseMs(), this.#stop.signal)
    return 1
  }

  #pauseMs(): number {
    const full = Math.min(RETRY_MS * 2 ** this.#failures++, RETRY_MAX_MS)
    return full * (0.5 + this.#options.clock.random() / 2)
  }

  async #setUp(link: Link): Promise<void> {
    const setUp = withinDeadline(link, { ...this.#options, timeoutMs: SETUP_MS })
    const server = await meet(setUp, this.#options.clock)
    await this.#fence(setUp, server)
    this.#offsetMs = server.offsetMs
    this.#server = server
    this.#link = link
    await this.#options.confirm()
    await this.#makeSafe(setUp, server)
    await this.#settleDoubts(setUp)
    if (!link.open || this.#stop.signal.aborted)
      throw new RedisFailure('unsent', 'The connection was lost')
    this.#ready = true
    this.#failures = 0
  }

  /** What the lost connection had sent and the server had not yet read is never done after this. */
  async #fence(link: Pick<Link, 'send'>, server: Server): Promise<void> {
    const before = this.#server
    if (before?.runId !== server.runId) return
    await link.send(['CLIENT', 'KILL', 'ID', before.clientId]).catch(error => {
      if (failureOf(error).kind !== 'refused') throw error
      this.#options.telemetry.log('warn', 'Redis does not end lost connections', { error })
    })
  }

  async #makeSafe(link: Pick<Link, 'send'>, { identity }: Server): Promise<void> {
    const tag = this.#options.tag()
    const known = this.#blessed
    if (tag === undefined || known?.identity === identity) return
    this.#blessed = undefined
    const { signal } = this.#stop
    if (await bless({ ...this.#options, link, tag, identity, signal })) {
      this.#options.telemetry.count('feeds_emptied')
      this.#options.telemetry.log('warn', 'Emptied a Redis that may have lost writes', {
        url: hostOf(this.url)
      })
    }
    this.#blessed = { identity, tag }
    this.#doubts.clear()
  }

  async #settleDoubts(link: Pick<Link, 'send'>): Promise<void> {
    if (this.#doubts.all) await removeOurs(link, this.#options.keys)
    const overdue = this.#doubts.overdue(this.#options.clock.monotonic())
    await Promise.all(overdue.map(key => this.#drop(link, key)))
    this.#doubts.clear()
  }

  /** Learns the server's clock, and whether it is still what it was. */
  async #beat(): Promise<number> {
    const link = this.#link
    if (link === undefined || !this.#ready) return 0
    if (this.#stalledAt !== undefined && this.#isLate(this.#stalledAt)) link.close()
    const begun = this.#options.clock.monotonic()
    try {
      const asked = [link.send(['TIME']), link.send(['INFO', 'replication'])]
      const [time, info] = await withDeadline(Promise.all(asked), this.#options)
      const ended = this.#options.clock.monotonic()
      this.#heard()
      if (ended - begun < BLINK_MS) this.#offsetMs = offsetOf(time ?? null, begun, ended)
      await this.#checkIdentity(link, info ?? null)
    } catch (error) {
      if (failureOf(error).kind === 'readonly') link.close()
      else if (this.#link === link) this.stall()
    }
    return 0
  }

  async #checkIdentity(link: Link, info: Reply): Promise<void> {
    const identity = `${this.#server?.runId}:${replicationId(info)}`
    const tag = this.#options.tag()
    const known = this.#blessed
    if (tag === undefined) return
    if (known?.identity !== identity) return link.close()
    // The guard key of a slot that came from another node tells that node's identity.
    await keepBlessed({ ...this.#options, link, tag, identity }, true)
    this.#blessed = { identity, tag }
  }
}

export function hostOf(url: string): string {
  return new URL(url).host
}
