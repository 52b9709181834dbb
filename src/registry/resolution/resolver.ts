/** Who owns a name, from the kept answers, else from one question to the network for all who wait. */
import { ServiceError } from '../../errors.ts'
import { roundTimeMs } from '../../protocol/time.ts'
import type { CodedName } from '../../protocol/claim/check-code.ts'
import type { Name } from '../../protocol/name/names.ts'
import { livePin } from '../../protocol/resolution/pin.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import { DEFAULT_TTL, MIN_TTL, parseZonePayload } from '../../protocol/zone/zone.ts'
import type { ClaimTasks } from '../tasks.ts'
import { OfflineError } from '../../network/types.ts'
import type { RegistryContext } from '../context.ts'
import {
  answerAlone,
  answerOf,
  isHeldByMost,
  isSecret,
  isUnconfirmed,
  notFound,
  survey,
  type Survey
} from './survey.ts'
import { askAgain } from './ask-again.ts'
import { codeNotFound, resolveByCode } from './by-code.ts'
import { meantName, publishedOf } from './pin-lists.ts'
import { translated } from '../../service-errors.ts'
import type { LookedUp, ResolvedName } from '../use-cases.ts'
import type { Clock } from '../../time/clock.ts'
import { BoundedMap } from '../../util/bounded-map.ts'
import { orAborted } from '../../util/concurrency.ts'

/** docs/protocol/rules.md, 11: how long answers are kept. */
const UNCERTAIN_MS = 60_000
const NOT_FOUND_MS = 30_000
/** So few peers say it that others may soon say otherwise: the daemon has just started, or it is cut off. */
const THIN_NOT_FOUND_MS = 5_000
const LONGEST_STALE_MS = 24 * 60 * 60 * 1000
/** What this daemon says by itself: for as long nobody is asked again, and for as long it is given while asking. */
const ALONE_MS = 5_000
const ALONE_STALE_MS = 60 * 60 * 1000

type Kept = { readonly resolved: ResolvedName } | { readonly failure: ServiceError }

/** Resolves names by the protocol's rule and keeps the answers for as long as it may. */
export class Resolver {
  readonly #context: RegistryContext
  readonly #tasks: ClaimTasks
  readonly #cache: AnswerCache<Kept>
  readonly #listeners = new Set<(name: string | undefined) => void>()
  #isAlone = false

  constructor(context: RegistryContext, tasks: ClaimTasks) {
    this.#context = context
    this.#tasks = tasks
    this.#cache = new AnswerCache(context.clock, (error) => {
      context.log.warn({ err: error }, 'a kept answer could not be refreshed')
    })
  }

  /**
   * SVC-NAM-001, SVC-RES-001..006. A reserved name is nobody's: SVC-RES-002 without asking. A name being registered
   * here is never asked for openly: SVC-RES-002 too, with a code SVC-RES-006, unless most peers hold it. The name may
   * carry a check code.
   */
  async resolve(text: string, signal?: AbortSignal): Promise<ResolvedName> {
    const wanted = this.#registrable(text)
    const kept = await this.#cache.get(
      keyOf(wanted),
      () => this.#ask(wanted),
      signal,
      (value, askedAtMs) =>
        'failure' in value || value.resolved.source !== 'network'
          ? value
          : { resolved: { ...value.resolved, askedAtMs } }
    )
    if ('failure' in kept) throw kept.failure
    return kept.resolved
  }

  /**
   * As `resolve`, with the times left for a copy; SVC-RES-002 and SVC-RES-003 that may be kept are answers.
   * `leastLeft` (0..1): asks peers unless more than this share of the kept answer's fresh time is left.
   */
  async lookUp(text: string, options: { leastLeft?: number; signal?: AbortSignal } = {}): Promise<LookedUp> {
    const wanted = this.#registrable(text)
    const { value, ...times } = await this.#cache.current(keyOf(wanted), () => this.#ask(wanted), options)
    if ('failure' in value) return { ...value, ...times }
    const pin = livePin(this.#context.pins.get(wanted.name), this.#context.time(), this.#context.profile)
    return { ...value, ...times, isPinFirm: pin?.state === 'firm' }
  }

  /** Whether peers left the last look-up that they could answer to this daemon. */
  get isAlone(): boolean {
    return this.#isAlone
  }

  /** Calls back when what was known of a name no longer holds; without a name, of all names. Returns the end of it. */
  onForgotten(listener: (name: string | undefined) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The answer that is still fresh. `name` as it was resolved: no other spelling. */
  kept(name: string): ResolvedName | undefined {
    const published = publishedOf(this.#context, name)
    if (published.kind === 'contested') return undefined
    const code =
      this.#context.codes.get(name)?.code ?? (published.kind === 'pinned' ? published.said[0]!.code : undefined)
    const kept = this.#cache.fresh(code === undefined ? name : `${name} ${code}`)
    return kept !== undefined && 'resolved' in kept ? kept.resolved : undefined
  }

  /** Drops what was known of this name, with and without a code: something was published. */
  forget(name: string): void {
    this.#cache.deleteWhere((key) => key === name || key.startsWith(`${name} `))
    for (const listener of this.#listeners) listener(name)
  }

  /** Another mode asks other peers: drops every answer known before. */
  forgetAll(): void {
    this.#cache.clear()
    for (const listener of this.#listeners) listener(undefined)
  }

  #registrable(text: string): CodedName {
    try {
      return meantName(this.#context, text)
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'SVC-NAM-002') throw notFound(text)
      throw error
    }
  }

  async #ask({ name, code }: CodedName): Promise<Answer<Kept>> {
    return translated(async () => {
      if (isSecret(this.#tasks, name) && !isHeldByMost(await this.#context.network.probe(name))) {
        const failure = code === undefined ? notFound(name) : codeNotFound(name, code)
        return { value: { failure }, freshMs: NOT_FOUND_MS, staleMs: NOT_FOUND_MS }
      }
      return askAgain(this.#context, () =>
        code === undefined ? this.#askOpenly(name) : this.#answer(() => resolveByCode(this.#context, name, code))
      )
    })
  }

  async #askOpenly(name: Name): Promise<Answer<Kept>> {
    let found: Survey
    try {
      found = await survey(this.#context, name)
    } catch (error) {
      const resolved = error instanceof OfflineError ? answerAlone(this.#context, name) : undefined
      if (resolved === undefined) throw error
      this.#noteAlone(true)
      return { value: { resolved }, ...this.#keeping(resolved), isFallback: true }
    }
    this.#noteAlone(isUnconfirmed(this.#context, found))
    return this.#answer(() => answerOf(this.#context, found))
  }

  async #answer(resolve: () => ResolvedName | Promise<ResolvedName>): Promise<Answer<Kept>> {
    try {
      const resolved = await resolve()
      return { value: { resolved }, ...this.#keeping(resolved), isFallback: resolved.source !== 'network' }
    } catch (error) {
      // A unanimous answer may be kept a little; disagreement may end at any moment.
      if (!(error instanceof ServiceError) || error.code === 'SVC-RES-004') throw error
      // A record that has the code proves itself until its lease ends: that nobody shows one now takes nothing from it.
      const isFallback = error.code === 'SVC-RES-005' || error.code === 'SVC-RES-006'
      const keptMs = error.extensions['thin'] === true ? THIN_NOT_FOUND_MS : NOT_FOUND_MS
      return { value: { failure: error }, freshMs: keptMs, staleMs: keptMs, isFallback }
    }
  }

  /** Logs the beginning and the end of an outage, and no look-up in it. */
  #noteAlone(isAlone: boolean): void {
    if (isAlone === this.#isAlone) return
    this.#isAlone = isAlone
    if (isAlone)
      this.#context.log.warn(
        {},
        'no peer answers: names of this daemon and records that it holds are answered from here, as thin, until one does'
      )
    else this.#context.log.info({}, 'peers answer again: names are what the network says')
  }

  /** Never past the end of the lease. */
  #keeping({ reveal, confidence, source }: ResolvedName): { freshMs: number; staleMs: number } {
    const { profile, clock } = this.#context
    const leaseMs = Math.max(0, roundTimeMs(reveal.drand_pulse + profile.lease, profile.beacon) - clock.now())
    if (source !== 'network')
      return { freshMs: Math.min(leaseMs, ALONE_MS), staleMs: Math.min(leaseMs, ALONE_STALE_MS) }
    const isSure = confidence === 'settled' || confidence === 'proven'
    const freshMs = Math.min(leaseMs, isSure ? shortestTtl(this.#context, reveal) * 1000 : UNCERTAIN_MS)
    return { freshMs, staleMs: Math.min(leaseMs, Math.max(freshMs, isSure ? LONGEST_STALE_MS : UNCERTAIN_MS)) }
  }
}

/** Parts a key of the cache: no name has a space. */
function keyOf({ name, code }: CodedName): string {
  return code === undefined ? name : `${name} ${code}`
}

function shortestTtl({ profile }: RegistryContext, reveal: Reveal): number {
  try {
    const ttls = Object.values(parseZonePayload(reveal.payload, profile).records).flatMap((records) =>
      records.map(({ ttl }) => ttl ?? DEFAULT_TTL)
    )
    return Math.min(DEFAULT_TTL, ...ttls)
  } catch {
    // A payload that is not a zone has no ttl: its owner is expected to fix it soon.
    return MIN_TTL
  }
}

/** Names kept at once: a few tens of MB at their largest. */
const MAX_ENTRIES = 2000
/** A stale answer that could not be refreshed is given out for as long before another attempt. */
const RETRY_MS = 5_000

export interface Answer<T> {
  readonly value: T
  readonly freshMs: number
  /** How long it may be returned while the daemon asks again. */
  readonly staleMs: number
  /** It takes the place of no other answer that may still be returned. */
  readonly isFallback?: boolean
}

interface Entry<T> extends Answer<T> {
  readonly atMs: number
  /** When it could not be refreshed. */
  failedAtMs: number
}

/** Keeps answers for their time and returns stale ones while it asks again. One question at a time for each key. */
export class AnswerCache<T> {
  readonly #clock: Clock
  readonly #onBackgroundError: (error: unknown) => void
  readonly #entries = new BoundedMap<string, Entry<T>>(MAX_ENTRIES)
  readonly #asking = new Map<string, Promise<Entry<T>>>()

  constructor(clock: Clock, onBackgroundError: (error: unknown) => void) {
    this.#clock = clock
    this.#onBackgroundError = onBackgroundError
  }

  /**
   * `signal` ends only this caller's wait: others may wait for the same answer. `asStale` makes what is given of one that
   * is stale, which came at that time.
   */
  async get(
    key: string,
    ask: () => Promise<Answer<T>>,
    signal?: AbortSignal,
    asStale: (value: T, atMs: number) => T = (value) => value
  ): Promise<T> {
    signal?.throwIfAborted()
    const entry = this.#entries.get(key)
    if (entry !== undefined && this.#isYounger(entry, entry.freshMs)) return entry.value
    if (entry !== undefined && this.#isYounger(entry, entry.staleMs)) {
      this.#refresh(key, entry, ask)
      return asStale(entry.value, entry.atMs)
    }
    return (await this.#answered(key, ask, signal)).value
  }

  /**
   * The answer with the times that are left of it, for a copy elsewhere: the kept one while more than `leastLeft`
   * (0..1) of its fresh time is left, else a new one. Never a stale one.
   */
  async current(
    key: string,
    ask: () => Promise<Answer<T>>,
    { leastLeft = 0, signal }: { readonly leastLeft?: number; readonly signal?: AbortSignal | undefined } = {}
  ): Promise<Answer<T>> {
    signal?.throwIfAborted()
    const entry = this.#entries.get(key)
    if (entry !== undefined && this.#isYounger(entry, entry.freshMs * (1 - leastLeft))) return this.#left(entry)
    return this.#left(await this.#answered(key, ask, signal))
  }

  fresh(key: string): T | undefined {
    const entry = this.#entries.get(key)
    return entry !== undefined && this.#isYounger(entry, entry.freshMs) ? entry.value : undefined
  }

  /** Also drops the answers to questions that are still open. */
  deleteWhere(isMeant: (key: string) => boolean): void {
    for (const key of [...this.#entries.keys(), ...this.#asking.keys()].filter(isMeant)) {
      this.#entries.delete(key)
      this.#asking.delete(key)
    }
  }

  clear(): void {
    this.#entries.clear()
    this.#asking.clear()
  }

  /** A value from the future, since the clock was set back, would be kept until then. */
  #isYounger({ atMs }: Entry<T>, limitMs: number): boolean {
    const ageMs = this.#clock.now() - atMs
    return ageMs >= 0 && ageMs < limitMs
  }

  #left({ value, atMs, freshMs, staleMs }: Entry<T>): Answer<T> {
    const ageMs = Math.max(0, this.#clock.now() - atMs)
    return { value, freshMs: Math.max(0, freshMs - ageMs), staleMs: Math.max(0, staleMs - ageMs) }
  }

  #answered(key: string, ask: () => Promise<Answer<T>>, signal: AbortSignal | undefined): Promise<Entry<T>> {
    const asked = this.#ask(key, ask)
    return signal === undefined ? asked : orAborted(asked, signal)
  }

  /** Asks again while a stale answer is given out. However many it is given to, a failure is reported once. */
  #refresh(key: string, entry: Entry<T>, ask: () => Promise<Answer<T>>): void {
    const sinceMs = this.#clock.now() - entry.failedAtMs
    if (this.#asking.has(key) || (sinceMs >= 0 && sinceMs < RETRY_MS)) return
    this.#ask(key, ask).catch((error: unknown) => {
      entry.failedAtMs = this.#clock.now()
      this.#onBackgroundError(error)
    })
  }

  #ask(key: string, ask: () => Promise<Answer<T>>): Promise<Entry<T>> {
    const underWay = this.#asking.get(key)
    if (underWay !== undefined) return underWay
    const asked: Promise<Entry<T>> = ask()
      .then((answer) => {
        const entry = { ...answer, atMs: this.#clock.now(), failedAtMs: -Infinity }
        if (this.#asking.get(key) !== asked) return entry
        const before = this.#entries.get(key)
        const isBetter = before !== undefined && before.isFallback !== true && this.#isYounger(before, before.staleMs)
        if (entry.isFallback === true && isBetter) before.failedAtMs = entry.atMs
        else this.#entries.set(key, entry)
        return entry
      })
      .finally(() => {
        if (this.#asking.get(key) === asked) this.#asking.delete(key)
      })
    this.#asking.set(key, asked)
    return asked
  }
}
