/** What this machine remembers of owners, for the user: the pins, and the check codes that decide before any look-up. */
import { ServiceError, type FieldError } from '../../errors.ts'
import { livePin, isContested, tentativeEnd } from '../../protocol/resolution/pin.ts'
import type { Name } from '../../protocol/name/names.ts'
import { codedNameOf, type RegistryContext, openName, leaseOf, roundTime } from '../context.ts'
import { isHeldAsOurs } from '../stored/owned-names.ts'
import { MOST_GIVEN, type GivenCode, type StoredPin } from '../stored/pins.ts'
import { toHex } from '../../protocol/encoding/bytes.ts'
import type { PinView, SeenPinView } from '../../views/pin.ts'
import { checkCodeOf, formatCodedName } from '../../protocol/claim/check-code.ts'
import type { ClaimTasks } from '../tasks.ts'
import { RepeatedLook } from '../../time/repeated-look.ts'
import { isSecret, survey } from './survey.ts'

/** What came of codes that the user gave. */
interface PinnedCodes {
  /** Names that are pinned now and were not, or by fewer characters. */
  readonly pinned: readonly Name[]
  /** Names that had this code, or a longer one, already. */
  readonly known: number
}

/**
 * Pins names by codes: `alice--7kq2mx.chronym`, or `alice.chronym 7kq2mx`. All or none; `dryRun` only says what would
 * come of it. SVC-NAM-001, SVC-NAM-002; SVC-PIN-002 where anything known contradicts a code; SVC-STO-001.
 */
export function pinCodes(context: RegistryContext, texts: readonly string[], dryRun = false): PinnedCodes {
  const { codes } = context
  const added = new Map<Name, string>()
  const conflicts: FieldError[] = []
  let known = 0
  for (const [index, text] of texts.entries()) {
    const path = `codes/${index}`
    const { name, code } = named(context, text, path)
    const before = added.get(name) ?? codes.get(name)?.code
    const contradiction = contradictionOf(context, name, code, added.get(name))
    if (contradiction !== undefined) conflicts.push({ path, message: contradiction })
    else if (before?.startsWith(code) === true) known++
    else added.set(name, code)
  }
  if (conflicts.length > 0)
    throw new ServiceError('SVC-PIN-002', `${conflicts[0]!.message} Nothing was pinned.`, { errors: conflicts })
  const names = [...added.keys()]
  if (codes.count + names.filter((name) => codes.get(name) === undefined).length > MOST_GIVEN)
    throw new ServiceError('SVC-PIN-002', `This daemon keeps ${MOST_GIVEN} given codes. Nothing was pinned.`)
  if (!dryRun) codes.give(added, context.time().now)
  return { pinned: names, known }
}

function named(context: RegistryContext, text: string, path: string): { name: Name; code: string } {
  try {
    const { name, code } = codedNameOf(context.profile, text)
    if (code !== undefined) return { name, code }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError(error.code, `"${text}": ${error.message}`, {
      cause: error,
      errors: [{ path, message: error.message }]
    })
  }
  const message = 'a check code must follow the name, as in alice--7kq2mx.chronym'
  throw new ServiceError('SVC-NAM-001', `"${text}": ${message}.`, { errors: [{ path, message }] })
}

/** Why another claim is meant already; undefined where nothing says so. */
function contradictionOf(
  context: RegistryContext,
  name: Name,
  code: string,
  sameRequest: string | undefined
): string | undefined {
  const { codes, pins, profile } = context
  const differs = (other: string): boolean => !other.startsWith(code) && !code.startsWith(other)
  if (sameRequest !== undefined && differs(sameRequest))
    return `${name} is given two codes, ${sameRequest} and ${code}.`
  const given = codes.get(name)
  // A code of the configuration stays, even where a longer one is given here.
  if (given?.round === undefined && given !== undefined && !given.code.startsWith(code))
    return `pins.codes of the configuration has the code ${given.code} for ${name}, not ${code}.`
  if (given !== undefined && differs(given.code)) return `${name} is pinned with the code ${given.code}, not ${code}.`
  const own = context.owned.get(name)
  if (own !== undefined && isHeldAsOurs(own) && leaseOf(context, own.reveal.drand_pulse).state !== 'dead') {
    const ownCode = checkCodeOf(own.reveal, profile)
    if (!ownCode.startsWith(code)) return `${name} is a name of this daemon, with the code ${ownCode}, not ${code}.`
  }
  const seen = livePin(pins.get(name), context.time(), profile)
  if (seen?.state !== 'firm' || pins.get(name)!.code.startsWith(code)) return undefined
  return `The claim of ${name} that this daemon has known as settled has the code ${pins.get(name)!.code}, not ${code}.`
}

const PINS_PER_PAGE = 1_000

/** The pins by name, at most `PINS_PER_PAGE`; with `after`, those after that name. SVC-NAM-001, SVC-NAM-002. */
export function listPins(context: RegistryContext, after?: string): PinView[] {
  const from = after === undefined ? undefined : openName(context, after, 'after')
  const given = context.codes.list(from).slice(0, PINS_PER_PAGE)
  const views: PinView[] = given.map(([name, each]) => givenView(context, name, each))
  let seen = 0
  for (const [name, pin] of context.pins.list(from)) {
    // A given code decides alone.
    const view = context.codes.get(name) === undefined ? pinView(context, pin) : null
    if (view === null) continue
    views.push({ name, coded_name: codedOf(name, pin.code), ...view })
    if (++seen === PINS_PER_PAGE) break
  }
  return views.sort((left, right) => (left.name < right.name ? -1 : 1)).slice(0, PINS_PER_PAGE)
}

function givenView(context: RegistryContext, name: string, { code, round }: GivenCode): PinView {
  return {
    name,
    coded_name: codedOf(name, code),
    check_code: code,
    state: round === undefined ? 'configured' : 'given',
    since: round === undefined ? null : roundTime(context, round),
    owner: null,
    claim_id: null,
    second_look: null,
    firm_since: null,
    until: null,
    rival: null,
    contested_until: null
  }
}

function codedOf(name: string, code: string): string | null {
  return formatCodedName(name as Name, code) ?? null
}

/** SVC-NAM-001, SVC-NAM-002; SVC-PIN-001 where there is none; SVC-PIN-002 for a code of `pins.codes`. */
export function forgetPin(context: RegistryContext, text: string): void {
  const name = openName(context, text)
  const given = context.codes.get(name)
  if (given !== undefined && given.round === undefined)
    throw new ServiceError('SVC-PIN-002', `pins.codes of the configuration has the code ${given.code} for ${name}.`)
  if (given !== undefined) context.codes.forget(name)
  else if (livePin(context.pins.get(name), context.time(), context.profile) === undefined)
    throw new ServiceError('SVC-PIN-001', `This daemon remembers no owner of ${name}.`)
  context.pins.forget(name)
}

/** Null where it no longer says anything. */
export function pinView(context: RegistryContext, stored: StoredPin | undefined): SeenPinView | null {
  const { profile } = context
  const time = context.time()
  const pin = livePin(stored, time, profile)
  if (pin === undefined) return null
  const common = {
    owner: toHex(pin.pubkey),
    claim_id: toHex(pin.claim),
    check_code: stored!.code,
    state: pin.state,
    since: roundTime(context, pin.firstRound)
  }
  if (pin.state === 'firm') {
    return {
      ...common,
      second_look: null,
      firm_since: roundTime(context, pin.firmRound),
      until: roundTime(context, leaseOf(context, pin.newestRound).graceEndRound),
      rival: null,
      contested_until: null
    }
  }
  const isInDispute = pin.rival !== undefined && isContested(pin, time, profile)
  return {
    ...common,
    second_look: roundTime(context, pin.lookRound),
    firm_since: null,
    until: roundTime(context, tentativeEnd(pin, profile)),
    rival: isInDispute ? toHex(pin.rival.pubkey) : null,
    contested_until: isInDispute ? roundTime(context, pin.firstRound + profile.pin_after) : null
  }
}

const SECOND_MS = 1000
/** One look at a time, at most 120 an hour where `pin_after` is a day: more than two thousand new names a day. */
const LONGEST_TICK_MS = 30 * SECOND_MS
/** Ticks in `pin_after`, where that is short. */
const TICKS = 20
/** A look that failed, or saw no majority, is repeated after this part of `pin_after`. */
const AGAIN_PART = 24

/**
 * Looks a second time, a day or more later, for owners that were seen once. Those that the same majority names are
 * pinned firmly (docs/protocol/rules.md, 11).
 */
export class PinUpkeep {
  readonly #context: RegistryContext
  readonly #tasks: ClaimTasks
  readonly #looks = new RepeatedLook((signal) => this.#look(signal))

  constructor(context: RegistryContext, tasks: ClaimTasks) {
    this.#context = context
    this.#tasks = tasks
  }

  start(): void {
    const { clock, profile } = this.#context
    const tickMs = Math.min(
      LONGEST_TICK_MS,
      Math.max(SECOND_MS, Math.floor((profile.pin_after * profile.beacon.period * SECOND_MS) / TICKS))
    )
    this.#looks.start(clock, tickMs)
  }

  stop(): Promise<void> {
    return this.#looks.stop()
  }

  /** Never rejects. */
  async #look(signal: AbortSignal): Promise<void> {
    try {
      const { pins, profile, network } = this.#context
      const time = this.#context.time()
      pins.sweep(time)
      const name = pins.due(time, (pin) => livePin(pin, time, profile) !== undefined) as Name | undefined
      if (name === undefined || network.status().status === 'offline') return
      // Whatever the result, others have their turn first.
      this.#postpone(name)
      if (!isSecret(this.#tasks, name)) await survey(this.#context, name, signal, 'everybody')
    } catch (error) {
      if (!signal.aborted)
        this.#context.log.info(
          { reason: (error as Error).message },
          'an owner could not be looked at a second time; it is tried again by itself'
        )
    }
  }

  #postpone(name: Name): void {
    const { pins, profile } = this.#context
    const pin = pins.get(name)
    if (pin?.state === 'tentative')
      pins.set(name, { ...pin, lookRound: this.#context.time().lapse + Math.ceil(profile.pin_after / AGAIN_PART) })
  }
}
