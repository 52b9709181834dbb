/** Reads what callers give: the daemon's JSON, or the bytes that peers exchange. */
import { fromBase64, fromHex } from '../protocol/encoding/bytes.ts'
import { EncodingError } from '../protocol/errors.ts'
import { decodeReveal, type Reveal } from '../protocol/claim/reveal.ts'
import { builtInProfiles, type BuiltInProfileId } from '../protocol/profile/built-in.ts'
import { parseProfile, type NetworkProfile } from '../protocol/profile/profile.ts'

/** The id of a built-in network, or a profile as its JSON or as `parseProfile` gives it. */
export type ProfileInput = BuiltInProfileId | NetworkProfile | Readonly<Record<string, unknown>>

/** A Reveal as `GET /api/resolve/{name}` shows it: bytes in base64, the key as a list of them too. */
export interface RevealJson {
  readonly name: string
  readonly pubkey: string | readonly number[]
  readonly drand_pulse: number
  readonly iterations: number
  readonly vdf_proof: string
  readonly signature: string
  readonly payload: string
}

const parsed = new WeakMap<object, NetworkProfile>()

/** Throws ProfileError for what is not a profile. */
export function profileOf(input: ProfileInput): NetworkProfile {
  if (typeof input === 'string') {
    if (Object.hasOwn(builtInProfiles, input)) return builtInProfiles[input]
    return parseProfile(input)
  }
  if (Object.isFrozen(input) && parsed.has(input)) return parsed.get(input)!
  const profile = parseProfile(input)
  parsed.set(profile, profile)
  return profile
}

/** Throws EncodingError. */
export function revealOf(input: RevealJson | Uint8Array): Reveal {
  if (input instanceof Uint8Array) return decodeReveal(input)
  const json = objectOf(input, 'a Reveal')
  const text = (member: string): string => {
    const value = json[member]
    if (typeof value !== 'string') throw new EncodingError(`${member}: a text is expected`)
    return value
  }
  const number = (member: string): number => {
    const value = json[member]
    if (typeof value !== 'number') throw new EncodingError(`${member}: a number is expected`)
    return value
  }
  return {
    name: text('name'),
    pubkey: Array.isArray(json['pubkey']) ? byteList(json['pubkey']) : bytesOf(text('pubkey'), 'pubkey'),
    drand_pulse: number('drand_pulse'),
    iterations: number('iterations'),
    vdf_proof: bytesOf(text('vdf_proof'), 'vdf_proof'),
    signature: bytesOf(text('signature'), 'signature'),
    payload: bytesOf(text('payload'), 'payload')
  }
}

function byteList(list: readonly unknown[]): Uint8Array {
  if (!list.every((byte) => typeof byte === 'number' && Number.isInteger(byte) && byte >= 0 && byte < 256))
    throw new EncodingError('pubkey: bytes are expected')
  return Uint8Array.from(list as readonly number[])
}

/** Bytes, or their base64. Throws EncodingError that names the member. */
export function bytesOf(input: Uint8Array | string, member: string): Uint8Array {
  if (input instanceof Uint8Array) return input
  try {
    return fromBase64(input)
  } catch (error) {
    throw new EncodingError(`${member}: ${error instanceof EncodingError ? error.detail : 'not base64'}`)
  }
}

/** Bytes, or their hexadecimal digits (as beacons write them), or their base64. */
export function hexOrBase64(input: Uint8Array | string, bytes: number, member: string): Uint8Array {
  return typeof input === 'string' && input.length === 2 * bytes && /^[0-9a-fA-F]*$/.test(input)
    ? fromHex(input)
    : bytesOf(input, member)
}

export function objectOf(input: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new EncodingError(`${what} is an object, or bytes`)
  return input as Readonly<Record<string, unknown>>
}
