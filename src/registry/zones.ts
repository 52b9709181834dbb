import { ServiceError } from '../errors.ts'
import { equalBytes } from '../protocol/bytes.ts'
import type { Name } from '../protocol/names.ts'
import { parseZone, parseZonePayload, serializeZone, type Zone } from '../protocol/zone.ts'
import type { TaskManager } from '../tasks/types.ts'
import { nextSerial, revealWithPayload } from './assemble.ts'
import { openName, type RegistryContext } from './context.ts'
import { leaseOf, roundTime } from './lease-times.ts'
import type { LocalZone } from './local-zones.ts'
import type { OwnedRecord } from './owned-names.ts'
import { takeUpNewer } from './newer-records.ts'
import { requireMajority, supersededRecord } from './publishing.ts'
import { translatedSync } from './service-errors.ts'
import { survey } from './survey.ts'
import type { ResolvedName, StoredBy, ZoneView } from './types.ts'

/** The zone of a resolved name. Throws SVC-ZON-001 when its payload is none. */
export function zoneOf(context: RegistryContext, { reveal }: ResolvedName): ZoneView {
  try {
    return { zone: parseZonePayload(reveal.payload, context.profile), source: 'network' }
  } catch (error) {
    throw new ServiceError('SVC-ZON-001', `The payload of ${reveal.name} is not a zone: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

export function localZone(context: RegistryContext, name: string): ZoneView | undefined {
  const zone = translatedSync(() => context.zones.get(openName(context, name)))
  return zone === undefined ? undefined : { zone, source: 'local' }
}

/** Saves a zone here, with a serial higher than any seen. SVC-NAM-001/002, SVC-ZON-002, SVC-ZON-004, SVC-STO-001. */
export function saveZone(context: RegistryContext, text: string, input: unknown, ifMatchSerial?: number): { serial: number } {
  return translatedSync(() => {
    const name = openName(context, text)
    const zone = parseZone(input, context.profile)
    requireUnchanged(context, name, ifMatchSerial)
    return { serial: store(context, name, zone).serial }
  })
}

/** As {@link saveZone}, for a zone that the next renewal carries. */
export function saveZoneForRenewal(context: RegistryContext, name: Name, input: unknown): void {
  translatedSync(() => store(context, name, parseZone(input, context.profile), { withReveal: true }))
}

/** Signs the local zone and publishes it. SVC-OWN-001, SVC-ZON-003, SVC-RES-003, SVC-PUB-001 where a newer one was published elsewhere (trying again goes above it), SVC-PUB-002. */
export async function publishZone(context: RegistryContext, tasks: TaskManager, text: string): Promise<{ serial: number } & StoredBy> {
  const name = openName(context, text)
  const record = requireOwned(context, name)
  const local = context.zones.get(name)
  if (local === undefined) throw new ServiceError('SVC-ZON-003', `There is no local zone for ${name}.`)
  const { state, graceEndRound } = leaseOf(context, record.reveal.drand_pulse)
  if (state === 'dead') throw new ServiceError('SVC-RES-003', `The lease of ${name} and its grace ended at ${roundTime(context, graceEndRound)}.`)

  const zone = isNewerThanPublished(context, name, local, record) ? local : store(context, name, local)
  const reveal = revealWithPayload(context, record.reveal, serializeZone({ records: zone.records }, zone.serial, context.profile))
  // Before it is sent: two payloads of one serial would be an equivocation.
  context.owned.save(reveal, { published: false })
  const outcome = await context.network.putReveal(reveal)
  // Peers that hold a newer one count as having it, but what they show is not this zone.
  if (outcome.refusals.some(({ code }) => code === 'stale') && takeUpNewer(context, tasks, await survey(context, name))) throw supersededRecord(name)
  // Another daemon's record may have been taken up by a look meanwhile: then that is what peers hold.
  const standing = context.owned.get(name)
  if ((standing?.foreign?.serial ?? 0) >= zone.serial && !equalBytes(standing!.reveal.payload, reveal.payload)) throw supersededRecord(name)
  const stored = requireMajority(`the zone of ${name}`, outcome)
  context.owned.setPublished(name, zone.serial)
  context.zones.holdBack(name)
  return { serial: zone.serial, ...stored }
}

/** The record of a name that this daemon owns. Throws SVC-OWN-001. */
export function requireOwned(context: RegistryContext, name: Name): OwnedRecord {
  const record = context.owned.get(name)
  if (record === undefined) throw new ServiceError('SVC-OWN-001', `This daemon does not own ${name}.`)
  return record
}

function requireUnchanged(context: RegistryContext, name: Name, ifMatchSerial: number | undefined): void {
  const standing = context.zones.get(name)?.serial ?? context.owned.get(name)?.serial
  if (ifMatchSerial === undefined || ifMatchSerial === standing) return
  const now = standing === undefined ? 'there is none now' : `it is ${standing} now`
  throw new ServiceError('SVC-ZON-004', `The zone of ${name} does not have serial ${ifMatchSerial}: ${now}.`)
}

/** The very record that stands may be sent again; anything else needs a serial above all that was seen. */
function isNewerThanPublished(context: RegistryContext, name: Name, local: LocalZone, record: OwnedRecord): boolean {
  const highest = nextSerial(context, name) - 1
  if (local.serial < highest) return false
  const payload = serializeZone({ records: local.records }, local.serial, context.profile)
  return local.serial > record.serial || Buffer.compare(payload, record.reveal.payload) === 0
}

function store(context: RegistryContext, name: Name, { records }: Zone, options?: { withReveal: boolean }): LocalZone {
  const zone = { serial: nextSerial(context, name), records }
  context.zones.save(name, zone, options)
  return zone
}
