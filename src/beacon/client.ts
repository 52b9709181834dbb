/** Follows the beacon that a network profile pins, over drand's HTTP API. It returns only what it has verified. */
import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NativePool, VerdictOptions } from '../native/types.ts'
import { clockRound, roundTimeMs, clockLags } from '../protocol/time.ts'
import { Backoff } from '../util/backoff.ts'
import { orAborted } from '../util/concurrency.ts'
import { plural } from '../util/words.ts'
import { PulseStore } from './pulse-store.ts'
import { DrandSources } from './drand.ts'
import { BeaconError, type BeaconChain, type BeaconClient, type Pulse, type VerifiedPulse } from './types.ts'

export interface BeaconClientOptions {
  chain: BeaconChain
  /** drand HTTP endpoints, in order of preference, without the chain hash. */
  urls: readonly string[]
  pool: Pick<NativePool, 'verifyPulse'>
  /** Called with what an operator should look at: sources that fail, a clock that lags. */
  warn?: (message: string) => void
  /** Milliseconds since the epoch. */
  now?: () => number
  /** For jitter, 0..1. */
  random?: () => number
  capacity?: number
}

/** 300 bytes each; at a second a round the pulses of the last two hours. */
const DEFAULT_CAPACITY = 8192
/** It asks for a round's pulse this share of a period after it is due, plus as much again of jitter. */
const POLL_DELAY = 0.1
/**
 * A chain with short periods is followed this often, as quicknet is: each pulse of the development beacon costs 8 ms, to
 * sign and to verify. Who waits for a round asks for it when it is due.
 */
const FOLLOW_MS = 3_000
/** A source further behind the clock than this is asked last. */
const STALE_ROUNDS = 3
/** Further apart, the clock is wrong: as far as it may lag (docs/protocol/rules.md, 9). */
const CLOCK_OFF_ROUNDS = 20
/** A source whose newest pulse was another one within this time is up to date. */
const LIVE_MS = 90_000
const FIRST_RETRY_MS = 250
const MAX_RETRY_MS = 30_000
/** Longest delay that a timer of Node takes. */
const MAX_TIMER_MS = 2 ** 31 - 1

export function createBeaconClient(options: BeaconClientOptions): BeaconClient {
  return new FollowingClient(options)
}

class FollowingClient implements BeaconClient {
  readonly #chain: BeaconChain
  readonly #sources: DrandSources
  readonly #store: PulseStore
  readonly #events = new EventEmitter<{ pulse: [VerifiedPulse] }>()
  readonly #warn: (message: string) => void
  readonly #now: () => number
  readonly #random: () => number
  readonly #fetching = new Map<number, Promise<VerifiedPulse>>()
  #life = new AbortController()
  #following = false
  #warnedOfClock = false
  #failure: string | undefined
  /** The newest pulse that a source gave, and when it was another one than before; by the monotonic clock. */
  #newest: { readonly round: number; readonly movedAtMs: number } | undefined

  constructor({ chain, urls, pool, warn, now, random, capacity }: BeaconClientOptions) {
    this.#chain = chain
    this.#sources = new DrandSources(urls, chain)
    const publicKey = new Uint8Array(Buffer.from(chain.public_key, 'hex'))
    this.#store = new PulseStore(
      capacity ?? DEFAULT_CAPACITY,
      (round, signature, options) => pool.verifyPulse({ publicKey, round, signature }, options),
      (pulse) => this.#advance(pulse)
    )
    this.#warn = warn ?? (() => undefined)
    this.#now = now ?? Date.now
    this.#random = random ?? Math.random
    // Every waiter listens; this client does not bound their number.
    this.#events.setMaxListeners(0)
  }

  start(): void {
    if (this.#following) return
    if (this.#life.signal.aborted) this.#life = new AbortController()
    this.#following = true
    const { signal } = this.#life
    this.#follow(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#warn(`following the beacon has ended: ${String(error)}`)
    })
  }

  stop(): void {
    this.#following = false
    this.#life.abort(new BeaconError('BEACON_UNAVAILABLE', 'the beacon client is stopped'))
  }

  latest(): VerifiedPulse | undefined {
    return this.#store.latest
  }

  now(): number {
    return Math.max(clockRound(this.#now(), this.#chain), this.#store.latest?.round ?? 0)
  }

  async verify(pulse: Pulse, options?: VerdictOptions): Promise<boolean> {
    return (await this.#store.accept(pulse, options)) !== undefined
  }

  on(event: 'pulse', listener: (pulse: VerifiedPulse) => void): () => void {
    this.#events.on(event, listener)
    return () => this.#events.off(event, listener)
  }

  async get(round: number, signal?: AbortSignal): Promise<VerifiedPulse> {
    checkRound(round)
    const held = this.#store.get(round)
    if (held !== undefined) return held
    const ending = this.#ending(signal)
    ending.throwIfAborted()
    let fetching = this.#fetching.get(round)
    if (fetching === undefined) {
      fetching = this.#fetch(round, this.#life.signal).finally(() => this.#fetching.delete(round))
      this.#fetching.set(round, fetching)
    }
    return await orAborted(fetching, ending)
  }

  async waitFor(round: number, signal?: AbortSignal): Promise<VerifiedPulse> {
    checkRound(round)
    const ending = this.#ending(signal)
    const backoff = new Backoff(FIRST_RETRY_MS, MAX_RETRY_MS, this.#random)
    for (;;) {
      ending.throwIfAborted()
      const held = this.#store.get(round)
      if (held !== undefined) return held
      if (this.now() < round) {
        await this.#untilDue(round, ending)
        continue
      }
      try {
        return await this.get(round, ending)
      } catch (error) {
        ending.throwIfAborted()
        if (!(error instanceof BeaconError)) throw error
        await this.#pulseWithin(backoff.next(), ending)
      }
    }
  }

  fault(): string | undefined {
    const latest = this.#store.latest
    if (latest === undefined) return this.#failure
    const clock = clockRound(this.#now(), this.#chain)
    const isLive = this.#newest !== undefined && performance.now() - this.#newest.movedAtMs < LIVE_MS
    const isAhead = isLive && clock - latest.round > CLOCK_OFF_ROUNDS
    if (!isAhead && !clockLags(clock, latest.round)) return this.#failure
    const off = timeInWords(Math.abs(this.#now() - roundTimeMs(latest.round, this.#chain)))
    return `this machine's clock is ${off} ${isAhead ? 'ahead of' : 'behind'} the beacon: set it`
  }

  #notice(round: number): void {
    if (this.#newest !== undefined && round <= this.#newest.round) return
    this.#newest = { round, movedAtMs: this.#newest === undefined ? -Infinity : performance.now() }
  }

  /** Asks for the newest pulse once a round, every three seconds at most; more slowly while nobody answers. */
  async #follow(signal: AbortSignal): Promise<void> {
    const periodMs = this.#chain.period * 1000
    const backoff = new Backoff(Math.min(FIRST_RETRY_MS, periodMs / 2), MAX_RETRY_MS, this.#random)
    let failing = false
    while (!signal.aborted) {
      const due = clockRound(this.#now(), this.#chain)
      try {
        const { round } = await this.#fetch('latest', signal)
        if (failing) this.#warn('the beacon answers again')
        failing = false
        this.#failure = undefined
        this.#notice(round)
        if (round < due) {
          // Not published yet, or a relay that is behind.
          if (round < due - STALE_ROUNDS) this.#sources.demoteFirst()
          await sleep(Math.min(backoff.next(), periodMs), undefined, { signal })
          continue
        }
        backoff.reset()
        await sleep(this.#untilNextPoll(), undefined, { signal })
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof Error)) throw error
        if (!failing) this.#warn(`no pulse from the beacon: ${error.message}`)
        failing = true
        this.#failure = error.message
        await sleep(backoff.next(), undefined, { signal })
      }
    }
  }

  #untilNextPoll(): number {
    const nowMs = this.#now()
    const periodMs = this.#chain.period * 1000
    const rounds = Math.max(1, Math.round(FOLLOW_MS / periodMs))
    // A round that is out before its time (our clock lags) leaves at most that many periods to wait.
    const next = clockRound(nowMs, this.#chain) + rounds
    const dueInMs = Math.min(roundTimeMs(next, this.#chain) - nowMs, rounds * periodMs)
    return dueInMs + periodMs * POLL_DELAY * (1 + this.#random())
  }

  async #fetch(round: number | 'latest', signal: AbortSignal): Promise<VerifiedPulse> {
    return await this.#sources.fetch(round, (pulse) => this.#store.accept(pulse), signal)
  }

  #advance(pulse: VerifiedPulse): void {
    const clock = clockRound(this.#now(), this.#chain)
    const lags = clockLags(clock, pulse.round)
    if (lags && !this.#warnedOfClock) {
      this.#warn(
        `this machine's clock lags: it is at round ${clock}, but the verified pulse ` +
          `is of round ${pulse.round}. Going by the pulse; set the clock.`
      )
    }
    this.#warnedOfClock = lags
    this.#events.emit('pulse', pulse)
  }

  /** Until a round is due by the clock, or any pulse arrives: it may show that the clock lags. */
  async #untilDue(round: number, signal: AbortSignal): Promise<void> {
    const nowMs = this.#now()
    const dueInMs = roundTimeMs(round, this.#chain) - nowMs + this.#chain.period * 1000 * POLL_DELAY
    await this.#pulseWithin(Math.min(Math.max(dueInMs, 1), MAX_TIMER_MS), signal)
  }

  async #pulseWithin(ms: number, signal: AbortSignal): Promise<void> {
    const done = new AbortController()
    const either = AbortSignal.any([signal, done.signal])
    try {
      await Promise.race([once(this.#events, 'pulse', { signal: either }), sleep(ms, undefined, { signal: either })])
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      done.abort()
    }
  }

  #ending(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#life.signal : AbortSignal.any([this.#life.signal, signal])
  }
}

function timeInWords(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes < 48 * 60 ? plural(minutes, 'minute') : plural(Math.round(minutes / 1_440), 'day')
}

function checkRound(round: number): void {
  if (!Number.isSafeInteger(round) || round < 1)
    throw new BeaconError('BEACON_INVALID_ROUND', `${round} is not a round: rounds are whole numbers from 1`)
}
