import { toHex } from '../../protocol/encoding/bytes.ts'
import { isContested, livePin, tentativeEnd } from '../../protocol/resolution/pin.ts'
import { ServiceError } from '../../errors.ts'
import { openName, type RegistryContext } from '../context.ts'
import { leaseOf, roundTime } from '../lease-times.ts'
import type { PinView, SeenPinView } from '../../views/pin.ts'
import type { GivenCode } from '../stored/given-codes.ts'
import { formatCodedName } from '../../protocol/claim/check-code.ts'
import type { Name } from '../../protocol/name/names.ts'
import type { StoredPin } from '../stored/pins.ts'

const PINS_PER_PAGE = 1_000

/** The pins by name, at most `PINS_PER_PAGE`; with `after`, those after that name. SVC-NAM-001, SVC-NAM-002. */
export function listPins(context: RegistryContext, after?: string): PinView[] {
  const from = after === undefined ? undefined : openName(context, after)
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
