import { toHex } from '../../protocol/encoding/bytes.ts'
import { isContested, livePin, tentativeEnd } from '../../protocol/resolution/pin.ts'
import { ServiceError } from '../../errors.ts'
import { openName, type RegistryContext } from '../context.ts'
import { leaseOf, roundTime } from '../lease-times.ts'
import type { PinView } from '../../views/pin.ts'
import type { StoredPin } from '../stored/pins.ts'

const PINS_PER_PAGE = 1_000

/** The pins by name, at most `PINS_PER_PAGE`; with `after`, those after that name. SVC-NAM-001, SVC-NAM-002. */
export function listPins(context: RegistryContext, after?: string): PinView[] {
  const views: PinView[] = []
  for (const [name, pin] of context.pins.list(after === undefined ? undefined : openName(context, after))) {
    const view = pinView(context, pin)
    if (view !== null) views.push({ name, ...view })
    if (views.length === PINS_PER_PAGE) break
  }
  return views
}

/** SVC-NAM-001, SVC-NAM-002; SVC-PIN-001 where there is none. */
export function forgetPin(context: RegistryContext, text: string): void {
  const name = openName(context, text)
  if (livePin(context.pins.get(name), context.time(), context.profile) === undefined)
    throw new ServiceError('SVC-PIN-001', `This daemon remembers no owner of ${name}.`)
  context.pins.forget(name)
}

/** Null where it no longer says anything. */
export function pinView(context: RegistryContext, stored: StoredPin | undefined): Omit<PinView, 'name'> | null {
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
