/** Making Reveals: signed by the name's key, with the newest zone saved here as payload. */
import type { Name } from '../protocol/names.ts'
import { encodeVdfProof, signReveal, type Link, type Reveal } from '../protocol/reveal.ts'
import { serializeZone, type Zone } from '../protocol/zone.ts'
import { ownKey, type RegistryContext } from './context.ts'

const EMPTY_ZONE: Zone = { records: {} }

/** Serial that a new zone of this name gets: one more than any seen. */
export function nextSerial(context: RegistryContext, name: Name): number {
  const { owned, zones, memory } = context
  const record = owned.get(name)
  const seen = memory.newest(name, ownKey(context, name).publicKey)
  return Math.max(zones.get(name)?.serial ?? 0, record?.serial ?? 0, seen?.serial ?? 0) + 1
}

/** A Reveal for a finished evaluation: the first claim, or a renewal on top of the links held. */
export function revealOfLink(context: RegistryContext, name: Name, link: Link, earlier: readonly Link[]): Reveal {
  const { p, iterations, pulse, proof, salt } = link
  const vdfProof = encodeVdfProof({ pulse, proof, salt, ...(earlier.length === 0 ? {} : { chain: earlier }) })
  const unsigned = { name, drand_pulse: p, iterations, vdf_proof: vdfProof, payload: currentPayload(context, name) }
  return signReveal(unsigned, ownKey(context, name), context.profileHash)
}

/** The same claim with another payload. */
export function revealWithPayload(context: RegistryContext, reveal: Reveal, payload: Uint8Array): Reveal {
  const { name, drand_pulse, iterations, vdf_proof } = reveal
  return signReveal({ name, drand_pulse, iterations, vdf_proof, payload }, ownKey(context, name as Name), context.profileHash)
}

/** The newest zone saved here, else what is published already, else an empty zone. */
function currentPayload(context: RegistryContext, name: Name): Uint8Array {
  const local = context.zones.get(name)
  if (local !== undefined) return serializeZone({ records: local.records }, local.serial, context.profile)
  return context.owned.get(name)?.reveal.payload ?? serializeZone(EMPTY_ZONE, nextSerial(context, name), context.profile)
}
