import { equalBytes } from '../../protocol/encoding/bytes.ts'
import type { Name } from '../../protocol/name/names.ts'
import { encodeVdfProof, signReveal, type Link, type Reveal } from '../../protocol/claim/reveal.ts'
import { payloadSerial, serializeZone, type Zone } from '../../protocol/zone/zone.ts'
import type { TaskKind } from '../../views/task.ts'
import { ownPublicKey, withOwnKey, type RegistryContext } from '../context.ts'
import { listFor } from './name-list.ts'

const EMPTY_ZONE: Zone = { records: {} }

/** Serial of the next zone of this name: one more than any seen. */
export function nextSerial(context: RegistryContext, name: Name): number {
  const { owned, zones, memory } = context
  const record = owned.get(name)
  const seen = memory.newest(name, ownPublicKey(context, name))
  return Math.max(zones.get(name)?.serial ?? 0, record?.serial ?? 0, seen?.serial ?? 0) + 1
}

/** A Reveal for a finished evaluation: the first claim, or a renewal on top of the links held. */
export function revealOfLink(
  context: RegistryContext,
  name: Name,
  link: Link,
  earlier: readonly Link[],
  payload: Uint8Array
): Reveal {
  const { p, iterations, pulse, proof, salt } = link
  const vdfProof = encodeVdfProof({ pulse, proof, salt, ...(earlier.length === 0 ? {} : { chain: earlier }) })
  const fields = { name, drand_pulse: p, iterations, vdf_proof: vdfProof, payload }
  return withOwnKey(context, name, (key) => signReveal(fields, key, context.profileHash))
}

export function revealWithPayload(context: RegistryContext, reveal: Reveal, payload: Uint8Array): Reveal {
  const { name, drand_pulse, iterations, vdf_proof } = reveal
  const fields = { name, drand_pulse, iterations, vdf_proof, payload }
  return withOwnKey(context, name as Name, (key) => signReveal(fields, key, context.profileHash))
}

/**
 * What a Reveal of a finished evaluation carries. A registration carries the zone prepared here, or an empty one. A
 * renewal carries what is published, unless its request brought a zone. A draft that was not published stays here.
 * @param sent the Reveal of this evaluation sent before: another payload gets a higher serial, or it would be an
 * equivocation.
 * Throws StoreError.
 */
export function payloadOfLink(
  context: RegistryContext,
  name: Name,
  kind: TaskKind,
  sent: Reveal | undefined
): Uint8Array {
  const { zones, owned, profile } = context
  const own = owned.get(name)
  const payloadOf = (zone: Zone, serial: number): Uint8Array =>
    serializeZone(zone, serial, profile, listFor(context, name, zone, sent?.payload ?? own?.reveal.payload))
  const local = kind === 'register' || zones.goesWithReveal(name) ? zones.get(name) : undefined
  if (local === undefined) {
    // A draft that was discarded after it went out: peers that hold it refuse older serials.
    const isSentNewer = sent !== undefined && payloadSerial(sent.payload, profile) > (own?.serial ?? -1)
    return (isSentNewer ? sent.payload : own?.reveal.payload) ?? payloadOf(EMPTY_ZONE, nextSerial(context, name))
  }
  const payload = payloadOf(local, local.serial)
  if (sent === undefined || equalBytes(sent.payload, payload)) return payload
  const sentSerial = payloadSerial(sent.payload, profile)
  if (local.serial > sentSerial) return payload
  const serial = Math.max(nextSerial(context, name), sentSerial + 1)
  zones.save(name, { serial, records: local.records })
  return payloadOf(local, serial)
}
