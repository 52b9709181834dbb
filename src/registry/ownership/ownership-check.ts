import { equalBytes, sha256 } from '../../protocol/encoding/bytes.ts'
import { relateChanges } from '../../protocol/claim/changes.ts'
import type { Ruled } from '../../protocol/resolution/pin.ts'
import { type Claim, claimOf, hasSameKeys } from '../../protocol/claim/claim.ts'
import { encodeReveal } from '../../protocol/claim/reveal.ts'
import type { ClaimTasks } from '../tasks.ts'
import { isKnownAsOwn, type RegistryContext } from '../context.ts'
import { takeUpNewer, noteEquivocationOfOurs } from './newer-records.ts'
import { ownNotice } from './own-notice.ts'
import {
  acknowledgeText,
  objectText,
  soldText,
  type OwnedName,
  type Ownership,
  type Sold
} from '../stored/owned-names.ts'
import { finalAt, survey, type Survey } from '../resolution/survey.ts'
import type { RegistryEvent } from '../use-cases.ts'
import { RepeatedLook } from '../../time/repeated-look.ts'

const SECOND_MS = 1000
const HOUR_MS = 3600 * SECOND_MS
/** How often the daemon checks whether a look is due. */
const TICK_MS = 30 * SECOND_MS
/** Frequent while a name settles, then hourly. */
const LOOKS_PER_SETTLING = 20

/** A sold name comes with its new key. */
type Shown = { readonly ownership: Exclude<Ownership, 'sold'> } | { readonly ownership: 'sold'; readonly sold: Sold }

/**
 * The state of an own name by the answers of peers; undefined where they say nothing. Pure.
 *
 * @param isOurs whether a claim has keys of this daemon; undefined while the seed is locked and cannot tell
 */
export function ownershipShown(
  tally: Ruled,
  ours: Pick<Claim, 'id' | 'pubkey' | 'changes'>,
  isOurs: (shown: Claim) => boolean | undefined
): Ownership | undefined {
  if (tally.kind === 'contested')
    // If this key is the only owner shown, a pin disagrees: it remembers the owner that liars named while they were the
    // majority.
    return tally.candidates.some(({ pubkey }) => !equalBytes(pubkey, ours.pubkey)) ? 'contested' : 'held'
  if (tally.kind !== 'owner') return undefined
  const { owner, settled, thin } = tally
  const { newest } = owner
  const isOwn = isOurs(newest)
  if (isOwn === true) return 'held'
  if (!equalBytes(newest.id, ours.id)) return settled && !thin ? 'lost' : 'contested'
  const relation = relateChanges(ours.changes, newest.changes)
  // The peers that answer have not heard of our change yet; or the seed must tell whose keys these are.
  if (relation === 'shorter' || isOwn === undefined) return undefined
  return owner.final && !thin ? 'sold' : 'changed'
}

/**
 * Whether the network still counts our names as ours. A claim that most peers held may lose the contest to an earlier
 * one, and our own publication proves nothing about what others hold now. So the daemon asks soon after each change,
 * and regularly.
 */
export class OwnershipCheck {
  readonly #context: RegistryContext
  readonly #tasks: ClaimTasks
  readonly #emit: (event: RegistryEvent) => void
  readonly #dueMs = new Map<string, number>()
  readonly #looks = new RepeatedLook(() => this.#look())

  constructor(context: RegistryContext, tasks: ClaimTasks, emit: (event: RegistryEvent) => void) {
    this.#context = context
    this.#tasks = tasks
    this.#emit = emit
  }

  start(): void {
    this.#looks.start(this.#context.clock, TICK_MS)
  }

  stop(): Promise<void> {
    return this.#looks.stop()
  }

  changed(name: string): void {
    // This is called for every name that this node stores for others: they must not fill memory.
    if (!this.#looks.isStarted || this.#context.owned.get(name) === undefined) return
    this.#dueMs.set(name, -Infinity)
    this.#looks.begin()
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    for (const record of this.#records()) {
      const nowMs = this.#context.clock.now()
      const dueMs = this.#dueMs.get(record.name) ?? -Infinity
      // A clock that was set back must not extend the wait.
      if (nowMs < dueMs && dueMs - nowMs <= this.#intervalMs()) continue
      this.#dueMs.set(record.name, nowMs + this.#intervalMs())
      try {
        this.#settle(record, await this.#ask(record))
      } catch (error) {
        // No peer to ask, or no room in the store: the next look tells.
        this.#context.log.info(
          { name: record.name, reason: (error as Error).message },
          'cannot tell whether the network holds this name as ours'
        )
      }
    }
  }

  #records(): readonly OwnedName[] {
    try {
      return this.#context.owned.list()
    } catch (error) {
      this.#context.log.warn({ err: error }, 'the names of this daemon could not be read; the next look tries again')
      return []
    }
  }

  #intervalMs(): number {
    const { settle, beacon } = this.#context.profile
    return Math.min(HOUR_MS, Math.max(TICK_MS, (settle * beacon.period * SECOND_MS) / LOOKS_PER_SETTLING))
  }

  /** Undefined where the answers say nothing: nobody holds it now, or only unsettled claims. */
  async #ask({ name, ownership: before }: OwnedName): Promise<Shown | undefined> {
    const { owned, profile, seed, clock } = this.#context
    // The first answers may be too few to call a change final, since this daemon's own store has no vote.
    const found = await survey(this.#context, name, undefined, before === 'changed' ? 'everybody' : undefined)
    if (!takeUpNewer(this.#context, this.#tasks, found)) noteEquivocationOfOurs(this.#context, found)
    const own = owned.get(name)
    if (own === undefined) return undefined
    const ownership = ownershipShown(found.tally, claimOf(own.reveal, name, profile), (shown) =>
      isKnownAsOwn(this.#context, shown) ? true : seed.isLocked ? undefined : false
    )
    if (ownership === undefined) return undefined
    if (ownership === 'held') return { ownership: (await this.#isChanging(own, found)) ? 'changing' : 'held' }
    if (ownership !== 'sold') return { ownership }
    const { pubkey, newest, votes } = (found.tally as Extract<Ruled, { kind: 'owner' }>).owner
    const at = finalAt(found, newest, votes, profile)
    return { ownership, sold: { to: pubkey, atMs: at === null ? clock.now() : Math.max(0, Date.parse(at)) } }
  }

  /** Whether a change waits that this daemon has not signed. Sends its own again, with what is published since. */
  async #isChanging({ name }: OwnedName, { notice }: Survey): Promise<boolean> {
    const { owned, network, profile } = this.#context
    const own = ownNotice(this.#context, name)
    const isOurs =
      notice !== undefined &&
      (isKnownAsOwn(this.#context, notice.claim) ||
        (own !== undefined && hasSameKeys(claimOf(own, name, profile), notice.claim)))
    const isShown =
      own !== undefined && notice !== undefined && equalBytes(notice.claim.recordHash, sha256(encodeReveal(own)))
    if (own !== undefined && !isShown && owned.get(name)?.ownership !== 'changing') {
      const { of, refusals } = await network.putReveal(own, { isNotice: true })
      // Both keys have signed another change.
      if (refusals.filter(({ code }) => code === 'changed').length * 2 > of) owned.setNotice(name, undefined)
    }
    return notice !== undefined && !isOurs
  }

  #settle({ name, ownership: before }: OwnedName, shown: Shown | undefined): void {
    if (shown === undefined || this.#context.owned.get(name) === undefined) return
    const { owned, log, network } = this.#context
    const { ownership } = shown
    // Its new owner may change the keys again, and few peers prove nothing: sold stays sold.
    if (ownership === before || (before === 'sold' && ownership === 'changed')) return
    if (ownership === 'sold') owned.setSold(name, shown.sold)
    else owned.setOwnership(name, ownership)
    this.#emit({ type: `name:${ownership}`, detail: { name } })
    if (ownership === 'sold') {
      // Its new owner sends its record from now on.
      network.withdrawReveal(name, undefined)
      log.warn({ name }, `this name is sold. ${soldText(shown.sold)}. ${acknowledgeText(name)}`)
    } else if (ownership === 'lost')
      log.error(
        { name },
        'this name is lost: the peers that answer have settled on another key. `chronym explain` ' +
          'shows who said what. The daemon still renews the claim until its lease ends'
      )
    else if (ownership === 'changed')
      log.error(
        { name },
        'the keys of this name were changed to those of another owner. If you did not do that, take it back before it is ' +
          `final: chronym key rotate ${name}`
      )
    else if (ownership === 'changing') log.error({ name }, `other keys wait for this name. ${objectText(name)}`)
    else if (ownership === 'contested')
      log.warn({ name }, 'this name is contested: peers name another key as its owner')
    else log.info({ name }, 'the network holds this name as ours')
  }
}
