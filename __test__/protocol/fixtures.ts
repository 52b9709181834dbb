/**
 * A beacon and a VDF that are modelled: a pulse and a proof are right when they equal what these functions make.
 * Everything else is real.
 */
import { createHash } from 'node:crypto'
import { concatBytes, sha256, u64be, utf8 } from '../../src/protocol/encoding/bytes.ts'
import { type Change, type ChangeMark, changeMessage, marksOf, nextHash } from '../../src/protocol/claim/changes.ts'
import { changePoint, changePublicKey, signAsChangeKey } from '../../src/protocol/crypto/change-keys.ts'
import type { Claim } from '../../src/protocol/claim/claim.ts'
import { commitmentHash } from '../../src/protocol/claim/commitment.ts'
import type { KeyPair } from '../../src/protocol/crypto/ed25519.ts'
import { keyPairFromSeed, sign } from '../../src/protocol/crypto/ed25519.ts'
import type { Name } from '../../src/protocol/name/names.ts'
import { iterationsFor, parseName, renewalIterations } from '../../src/protocol/name/names.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { proofShape, type Link, encodeVdfProof, vdfSeed } from '../../src/protocol/claim/proof.ts'
import { pulseRandomness, type ProtocolTime } from '../../src/protocol/time.ts'
import { claimId, type Reveal, signReveal } from '../../src/protocol/claim/reveal.ts'
import type { Checkers } from '../../src/protocol/claim/valid.ts'

export const LOCAL = builtInProfiles.local
export const TEST = builtInProfiles.test
export const MAIN = builtInProfiles.main

export const EMPTY_ZONE = utf8('{"records":{},"serial":1}')

/** Bytes derived from a text, for salts and seeds. */
export function bytesOf(text: string, length = 32): Uint8Array {
  return new Uint8Array(createHash('shake256', { outputLength: length }).update(text).digest())
}

const keyPairs = new Map<string, KeyPair>()

/** The key pair of a text; cached, since tests ask for the same ones again and again. A pair is its own. */
export function keyOf(text: string | KeyPair): KeyPair {
  if (typeof text !== 'string') return text
  const key = keyPairs.get(text) ?? keyPairFromSeed(bytesOf(`key ${text}`))
  keyPairs.set(text, key)
  return key
}

export function modelPulse(round: number, profile: NetworkProfile): Uint8Array {
  return bytesOf(`pulse ${round} ${profile.beacon.chain_hash}`, 48)
}

export function modelProof(seed: Uint8Array, iterations: number, profile: NetworkProfile): Uint8Array {
  const { length, split } = proofShape(iterations, profile)
  const proof = bytesOf(`proof ${Buffer.from(seed).toString('hex')} ${iterations}`, length)
  if (split !== null) proof.set(u64be(split), 200)
  return proof
}

export function modelCheckers(profile: NetworkProfile): Checkers {
  return {
    verifyPulse: ({ round, signature }) => Promise.resolve(Buffer.from(modelPulse(round, profile)).equals(signature)),
    verifyProof: ({ seed, iterations, proof }) =>
      Promise.resolve(Buffer.from(modelProof(seed, iterations, profile)).equals(proof))
  }
}

interface ClaimOptions {
  name?: string
  owner?: string | KeyPair
  salt?: string
  /** p of the first link. */
  p?: number
  /** p of each renewal. */
  renewals?: readonly number[]
  payload?: Uint8Array
  profile?: NetworkProfile
  /** Whose change words the claim names; none without. */
  words?: string
  changes?: readonly MadeChange[]
}

export interface MadeChange {
  /** The owner from now on. */
  to: string
  /** Whose change words come next; without, those before. */
  words?: string
  /** Without the signature of the owner before. */
  alone?: boolean
  /** What is altered once it is signed. */
  altered?: Partial<Change>
}

export function makeReveal(options: ClaimOptions = {}): Reveal {
  const { owner = 'alice', salt = 'salt', p = 1000, renewals = [], payload = EMPTY_ZONE, profile = LOCAL } = options
  const name = parseName(options.name ?? 'alice.chronym', profile)
  const hash = profileHash(profile)
  const key = keyOf(owner)
  const next = options.words === undefined ? undefined : nextOf(options.words, name, 0, hash)
  const links: Link[] = []
  for (const [index, round] of [p, ...renewals].entries())
    links.push(makeLink(name, key.publicKey, bytesOf(`${salt} ${index}`), round, links.at(-1), profile, next))
  const newest = links.at(-1)!
  const commitment = commitmentHash(name, key.publicKey, links[0]!.salt, hash, next)
  const changes = makeChanges(name, claimId(name, commitment, p, hash), hash, options)
  const vdf_proof = encodeVdfProof({
    pulse: newest.pulse,
    proof: newest.proof,
    salt: newest.salt,
    chain: links.slice(0, -1),
    ...(next && { next }),
    ...(changes.length > 0 && { first: key.publicKey, changes })
  })
  return signReveal(
    { name, drand_pulse: newest.p, iterations: newest.iterations, vdf_proof, payload },
    keyOf(options.changes?.at(-1)?.to ?? owner),
    hash
  )
}

function nextOf(words: string, name: Name, index: number, profileHash: Uint8Array): Uint8Array {
  const point = changePoint(bytesOf(words), profileHash)
  return nextHash(changePublicKey(point, { name, index, profileHash }), profileHash)
}

function makeChanges(name: Name, id: Uint8Array, hash: Uint8Array, options: ClaimOptions): Change[] {
  const made: Change[] = []
  let [from, words] = [options.owner ?? 'alice', options.words]
  for (const [index, { to, words: nextWords = words!, alone = false, altered }] of (options.changes ?? []).entries()) {
    const terms = {
      pubkey: keyOf(to).publicKey,
      next: nextOf(nextWords, name, index + 1, hash),
      consented: words !== undefined && !alone
    }
    const message = changeMessage(
      { name, claimId: id, before: marksOf(name, id, made, hash).at(-1)?.hash },
      terms,
      hash
    )
    const of = { name, index, profileHash: hash }
    const byOwner = sign(message, keyOf(from).secretKey)
    made.push({
      ...terms,
      ...(words === undefined
        ? { signature: byOwner }
        : {
            key: changePublicKey(changePoint(bytesOf(words), hash), of),
            signature: signAsChangeKey(bytesOf(words), of, message)
          }),
      ...(terms.consented && { consent: byOwner }),
      ...altered
    })
    ;[from, words] = [to, nextWords]
  }
  return made
}

export function makeLink(
  name: Name,
  pubkey: Uint8Array,
  salt: Uint8Array,
  p: number,
  before: Link | undefined,
  profile: NetworkProfile,
  next?: Uint8Array
): Link {
  const hash = profileHash(profile)
  const pulse = modelPulse(p, profile)
  const iterations = before === undefined ? iterationsFor(name, profile) : renewalIterations(name, profile)
  const seed = vdfSeed(
    {
      commitment: commitmentHash(name, pubkey, salt, hash, next),
      round: p,
      randomness: pulseRandomness(pulse),
      before: before?.proof
    },
    hash
  )
  return { p, pulse, iterations, proof: modelProof(seed, iterations, profile), salt }
}

/** A claim made of nothing but its place in the orders: for rules that look at nothing else. */
export function bareClaim(
  options: {
    owner?: string
    firstRound?: number
    newestRound?: number
    serial?: number
    payload?: string
    tie?: number
    record?: string
    changes?: readonly ChangeMark[]
  } = {}
): Claim {
  const {
    owner = 'alice',
    firstRound = 1000,
    newestRound = firstRound,
    serial = 1,
    payload = 'payload',
    tie = 0,
    record = '',
    changes = []
  } = options
  const tieBytes = concatBytes(u64be(tie), sha256(utf8(owner)).subarray(0, 24))
  return {
    name: 'alice.chronym' as Name,
    pubkey: sha256(utf8(`key ${owner}`)),
    changes,
    id: sha256(utf8(`id ${owner} ${firstRound} ${tie}`)),
    commitment: sha256(utf8(`C ${owner} ${firstRound} ${tie}`)),
    firstRound,
    firstIterations: 1_000_000,
    tie: tieBytes,
    newestRound,
    serial,
    payloadHash: sha256(utf8(payload)),
    recordHash: sha256(
      utf8(JSON.stringify([owner, firstRound, newestRound, serial, payload, tie, record])),
      ...changes.map(({ hash }) => hash)
    )
  }
}

/** Time at a round that was just verified, the clock agreeing. */
export function timeAt(round: number): ProtocolTime {
  return { verified: round, lapse: round, now: round, fresh: true }
}

export function seedOf(n: number): Uint8Array {
  return new Uint8Array(32).fill(n)
}
