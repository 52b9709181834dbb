import { ServiceError } from '../../errors.ts'
import { equalBytes, toHex } from '../../protocol/encoding/bytes.ts'
import { roundTimeMs } from '../../protocol/time.ts'
import { checkCodeOf, type CodedName } from '../../protocol/claim/check-code.ts'
import type { Name } from '../../protocol/name/names.ts'
import { livePin, type Ruled } from '../../protocol/resolution/pin.ts'
import type { Reveal } from '../../protocol/claim/reveal.ts'
import { DEFAULT_TTL, MIN_TTL, parseZonePayload } from '../../protocol/zone/zone.ts'
import type { ClaimTasks } from '../tasks.ts'
import { OfflineError } from '../../network/types.ts'
import { openCodedName, type RegistryContext, leaseOf, roundTime } from '../context.ts'
import { answerAlone, isHeldByMost, isSecret, isUnconfirmed, revealOf, survey, type Survey } from './survey.ts'
import { codeNotFound, resolveByCode } from './by-code.ts'
import { AnswerCache, type Answer } from './answer-cache.ts'
import { translated } from '../../service-errors.ts'
import type { LookedUp, ResolvedName } from '../use-cases.ts'

/** docs/protocol/rules.md, 11: how long answers are kept. */
const UNCERTAIN_MS = 60_000
const NOT_FOUND_MS = 30_000
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
    const kept = await this.#cache.get(keyOf(wanted), () => this.#ask(wanted), signal)
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
    const given = this.#context.codes.get(name)
    const kept = this.#cache.fresh(given === undefined ? name : `${name} ${given.code}`)
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
      return openCodedName(this.#context, text)
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
      if (code !== undefined) return this.#answer(() => resolveByCode(this.#context, name, code))
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
      return this.#answer(() => decide(this.#context, found))
    })
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
      return { value: { failure: error }, freshMs: NOT_FOUND_MS, staleMs: NOT_FOUND_MS, isFallback }
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

/** The owner and the newest record, or the error that says why there is none. */
export function decide(context: RegistryContext, found: Survey): ResolvedName {
  const { name, tally } = found
  switch (tally.kind) {
    case 'none':
      throw notFound(name, tally.thin)
    case 'contested':
      throw contested(found, tally)
    case 'undecided':
      throw new Error('a survey that has ended cannot be undecided')
    case 'owner': {
      const { newest } = tally.owner
      const { state, endRound } = leaseOf(context, newest.newestRound)
      if (state === 'dead') throw notFound(name)
      if (state === 'grace')
        throw new ServiceError('SVC-RES-003', `The lease of ${name} ended at ${roundTime(context, endRound)}.`)
      if (!context.memory.see(newest)) {
        throw new ServiceError(
          'SVC-RES-004',
          `Every peer that answered holds an older record of ${name} than one that was seen before.`,
          { retryAfter: 60 }
        )
      }
      const source = sourceOf(context, found)
      const reveal = revealOf(found, newest)
      return {
        reveal,
        checkCode: checkCodeOf(reveal, context.profile),
        confidence: tally.thin || source !== 'network' ? 'thin' : tally.settled ? 'settled' : 'provisional',
        source
      }
    }
  }
}

/** Where no other node answered, the vote was that of our own store. */
function sourceOf(context: RegistryContext, found: Survey): ResolvedName['source'] {
  if (!isUnconfirmed(context, found)) return 'network'
  return context.owned.get(found.name) === undefined ? 'held' : 'own'
}

/** `isThin`: fewer peers say so than a quorum. */
export function notFound(name: string, isThin = false): ServiceError {
  return new ServiceError(
    'SVC-RES-002',
    isThin ? `${name} is not registered, as far as few peers say.` : `${name} is not registered.`,
    isThin ? { extensions: { thin: true } } : {}
  )
}

function contested({ name, counted }: Survey, ruled: Extract<Ruled, { kind: 'contested' }>): ServiceError {
  const votesOf = (id: Uint8Array): number =>
    counted.filter(({ claim }) => claim !== undefined && equalBytes(claim.id, id)).length
  const remembered =
    'remembered' in ruled ? ruled.remembered.map(({ claim, pubkey }) => ({ pubkey, votes: votesOf(claim) })) : []
  const owners = [...ruled.candidates, ...remembered].map(({ pubkey, votes }) => ({ pubkey: toHex(pubkey), votes }))
  return new ServiceError('SVC-RES-004', contestedText(name, ruled, owners), { extensions: { candidates: owners } })
}

function contestedText(
  name: Name,
  { rule }: Extract<Ruled, { kind: 'contested' }>,
  owners: readonly { pubkey: string }[]
): string {
  switch (rule) {
    case 'pin':
      return (
        `The peers name another claim of ${name} than the one this daemon has known as ` +
        `settled. \`chronym pins forget ${name}\` makes it believe them.`
      )
    case 'two-majorities':
      return `Most peers name the key ${owners[0]!.pubkey} as the owner of ${name}, and named ${owners
        .slice(1)
        .map(({ pubkey }) => pubkey)
        .join(' and ')} shortly before. It is contested until one of them has stayed.`
    case 'no-majority':
      return `The peers that could be reached name ${owners.length} owners of ${name} and none has a majority.`
  }
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
