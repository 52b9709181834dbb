/**
 * What a drand HTTP endpoint answers (API v1: `/{chain hash}/info`, `/public/{round}`, `/public/latest`), read
 * strictly.
 */
import * as v from 'valibot'
import { PULSE_SIGNATURE_BYTES, pulseRandomness, type Pulse } from '../protocol/time/pulse.ts'
import type { BeaconChain } from './types.ts'

const hex = (bytes: number) =>
  v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`, 'i'), `${bytes} bytes in hex expected`))

const PulseSchema = v.object({
  round: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  signature: hex(PULSE_SIGNATURE_BYTES),
  randomness: v.optional(hex(32))
})

const InfoSchema = v.object({
  public_key: v.string(),
  period: v.number(),
  genesis_time: v.number(),
  hash: v.string(),
  schemeID: v.string()
})

/** Undefined unless the answer is a pulse, whose randomness, if given, is that of its signature. Not verified yet. */
export function readPulse(json: unknown): Pulse | undefined {
  const parsed = v.safeParse(PulseSchema, json)
  if (!parsed.success) return undefined
  const { round, randomness } = parsed.output
  const signature = new Uint8Array(Buffer.from(parsed.output.signature, 'hex'))
  if (randomness !== undefined && Buffer.from(pulseRandomness(signature)).toString('hex') !== randomness.toLowerCase())
    return undefined
  return { round, signature }
}

/** What in a source's `/info` differs from the pinned chain; empty when it is that chain. */
export function differences(json: unknown, chain: BeaconChain): string[] {
  const parsed = v.safeParse(InfoSchema, json)
  if (!parsed.success) return ['the answer is not chain information']
  const info = parsed.output
  const pairs: [field: string, served: string | number, pinned: string | number][] = [
    ['hash', info.hash, chain.chain_hash],
    ['public_key', info.public_key, chain.public_key],
    ['schemeID', info.schemeID, chain.scheme],
    ['period', info.period, chain.period],
    ['genesis_time', info.genesis_time, chain.genesis]
  ]
  return pairs
    .filter(([, served, pinned]) => served !== pinned)
    .map(([field, served, pinned]) => `${field} is ${served}, not ${pinned}`)
}
