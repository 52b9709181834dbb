/**
 * Change keys: they change the keys of a name and do nothing else. They come from 24 words that no daemon keeps. A
 * daemon keeps their public point P, from which it derives the public change key of each name: P + H(P ‖ name ‖ index)·G.
 * So names that it registers later have theirs without the words, and without P two of them cannot be linked.
 */
import { hkdfSync } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { concatBytes, lp, u64be } from '../encoding/bytes.ts'
import { KeyError } from '../errors.ts'
import type { Name } from '../name/names.ts'
import { domain, type DomainWord } from './domain.ts'

const { Point } = ed25519
const { Fn } = Point
const NO_SALT = new Uint8Array(0)

/** Which change key of a name: `index` is the number of changes before the one that it signs. */
export interface ChangeKeyOf {
  readonly name: Name
  readonly index: number
  readonly profileHash: Uint8Array
}

/** P of the change words, 32 bytes: `a·G`, a = the 64 bytes of the tag `change-key`, modulo the order of G. */
export function changePoint(entropy: Uint8Array, profileHash: Uint8Array): Uint8Array {
  return Point.BASE.multiply(secretScalar(entropy, profileHash)).toBytes()
}

/** The public change key, 32 bytes, by P alone. Throws KeyError where P is not a point of the group. */
export function changePublicKey(point: Uint8Array, of: ChangeKeyOf): Uint8Array {
  return requirePoint(point)
    .add(Point.BASE.multiply(tweak(point, of)))
    .toBytes()
}

/**
 * An Ed25519 signature (RFC 8032, with a scalar in place of a seed) by the change key. Its nonce comes from the words and
 * the message, so no random number can leak the key.
 */
export function signAsChangeKey(entropy: Uint8Array, of: ChangeKeyOf, message: Uint8Array): Uint8Array {
  const point = changePoint(entropy, of.profileHash)
  const scalar = Fn.add(secretScalar(entropy, of.profileHash), tweak(point, of))
  const publicKey = Point.BASE.multiply(scalar).toBytes()
  const prefix = expand(entropy, 'change-nonce', of.profileHash, lp(of.name), u64be(of.index))
  const nonce = scalarOf(sha512(concatBytes(prefix, message)))
  const r = Point.BASE.multiply(nonce).toBytes()
  const challenge = scalarOf(sha512(concatBytes(r, publicKey, message)))
  return concatBytes(r, Fn.toBytes(Fn.add(nonce, Fn.mul(challenge, scalar))))
}

/** Throws KeyError unless P, which a daemon has kept, is a point of the prime-order group. */
export function requirePoint(point: Uint8Array): InstanceType<typeof Point> {
  try {
    const found = Point.fromBytes(point)
    if (found.isTorsionFree() && !found.is0()) return found
  } catch {
    // Not a point of the curve: refused below.
  }
  throw new KeyError('this is not the public point of change words')
}

function secretScalar(entropy: Uint8Array, profileHash: Uint8Array): bigint {
  return scalarOf(expand(entropy, 'change-key', profileHash))
}

function tweak(point: Uint8Array, { name, index, profileHash }: ChangeKeyOf): bigint {
  return scalarOf(sha512(concatBytes(domain('change-tweak', profileHash), point, lp(name), u64be(index))))
}

/** 64 bytes, little-endian, modulo the order of G (as RFC 8032 reduces hashes). Zero has a chance of 2^-252. */
function scalarOf(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes.toReversed()) value = (value << 8n) | BigInt(byte)
  return Fn.create(value)
}

function expand(
  entropy: Uint8Array,
  tag: DomainWord,
  profileHash: Uint8Array,
  ...rest: readonly Uint8Array[]
): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', entropy, NO_SALT, concatBytes(domain(tag, profileHash), ...rest), 64))
}
