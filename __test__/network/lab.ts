/**
 * A network in one process: real libp2p nodes and real stores on loopback. Time is a counter, and hashes model pulses
 * and proofs, so that tests neither wait for rounds nor compute squarings. Everything else is the daemon's code.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { BeaconClient, Pulse, VerifiedPulse } from '../../src/beacon/types.ts'
import type { DocumentJudge, NativePool, ProofQuestion } from '../../src/native/types.ts'
import { multiaddr } from '@multiformats/multiaddr'
import { startNode } from '../../src/network/node.ts'
import type { Node } from '../../src/network/libp2p.ts'
import { createNetwork, type OpenableNetwork } from '../../src/network/network.ts'
import type { CommitOutcome, ModeSetting } from '../../src/network/types.ts'
import { type Clock, createRoundClock } from '../../src/time/clock.ts'
import { roundTimeMs, pulseRandomness } from '../../src/protocol/time.ts'
import { concatBytes, equalBytes, sha256, u64be, utf8 } from '../../src/protocol/encoding/bytes.ts'
import { commitmentHash } from '../../src/protocol/claim/commitment.ts'
import { keyPairFromSeed, type KeyPair } from '../../src/protocol/crypto/ed25519.ts'
import { judgeIdentity, judgeManifest, judgeSpeaker } from '../../src/protocol/identity/judge-documents.ts'
import { decodeVdfProof, encodeVdfProof, proofCacheKey, type Link, vdfSeed } from '../../src/protocol/claim/proof.ts'
import { iterationsFor, parseName, renewalIterations } from '../../src/protocol/name/names.ts'
import { parseProfile, profileHash, type NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { claimIdOf, linksOf, signReveal, type Reveal } from '../../src/protocol/claim/reveal.ts'
import { stampHolds } from '../../src/protocol/crypto/domain.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/types.ts'
import { waitFor } from '../wait-for.ts'

/**
 * Where a node is that has no place of its own. All of 127.0.0.0/8 is this machine on Linux, and 127.2.3.4 is of
 * another /24 and another /16 than this.
 */
const HERE = '127.0.0.1'
export const listenAt = (place: string): string => `/ip${place.includes(':') ? 6 : 4}/${place}/tcp/0`

/** Round that every lab begins at. */
export const FIRST_ROUND = 1_000

/** `local` with small numbers: 2,000 squarings, a stamp of 4 bits. */
export function labProfile(overrides: Partial<NetworkProfile> = {}): NetworkProfile {
  return parseProfile({
    ...builtInProfiles.local,
    id: 'lab',
    stamp_bits: 4,
    difficulty: { base: 2_000, by_length: [{ from: 1, factor: 1 }] },
    ...overrides
  })
}

export interface LabNode {
  readonly network: OpenableNetwork
  readonly store: Store
  readonly directory: string
  readonly address: string
}

export class Lab {
  readonly profile: NetworkProfile
  readonly hash: Uint8Array
  round = FIRST_ROUND
  readonly nodes: LabNode[] = []
  readonly #pulseListeners = new Set<(pulse: VerifiedPulse) => void>()
  readonly #timers = new Set<{ milliseconds: number; dueMs: number; action: () => void }>()
  readonly #strangers: Node[] = []
  readonly #verified = new Set<string>()
  /** Of all nodes there ever were: those that were stopped left theirs. */
  readonly #directories = new Set<string>()
  #seeds = 0

  constructor(profile = labProfile()) {
    this.profile = profile
    this.hash = profileHash(profile)
  }

  /** Distinct proofs that the pool was asked to verify. */
  get proofsVerified(): number {
    return this.#verified.size
  }

  /** Milliseconds since the epoch, by the lab's round. */
  nowMs = (): number => roundTimeMs(this.round, this.profile.beacon)

  /** What peers may cost goes by the process's clock, unless a test stops it. */
  // eslint-disable-next-line no-restricted-properties -- as daemons do
  elapsedMs = (): number => performance.now()

  /** Lets rounds pass: each is verified by every node, and timers that are due are called. */
  advance(rounds: number): void {
    this.round += rounds
    for (const listener of this.#pulseListeners) listener(this.pulse(this.round))
    for (const timer of this.#timers) {
      if (timer.dueMs > this.nowMs()) continue
      timer.dueMs = this.nowMs() + timer.milliseconds
      timer.action()
    }
  }

  pulse(round: number): VerifiedPulse {
    const signature = concatBytes(sha256(utf8('pulse'), u64be(round)), new Uint8Array(16))
    return { round, signature, randomness: pulseRandomness(signature) }
  }

  readonly beacon: Pick<BeaconClient, 'latest' | 'verify' | 'on'> = {
    latest: () => this.pulse(this.round),
    verify: (pulse: Pulse) => Promise.resolve(equalBytes(pulse.signature, this.pulse(pulse.round).signature)),
    on: (_event, listener) => {
      this.#pulseListeners.add(listener)
      return () => this.#pulseListeners.delete(listener)
    }
  }

  readonly pool: Pick<NativePool, 'verifyProof'> & DocumentJudge = {
    judgeIdentity: async (record, profile) => judgeIdentity(record, profile),
    judgeManifest: async (record, profile) => judgeManifest(record, profile),
    judgeSpeaker: async (manifest, identity, profile) => judgeSpeaker(manifest, identity, profile),
    verifyProof: (question: ProofQuestion) => {
      // As the real one, it verifies a proof once.
      this.#verified.add(proofCacheKey(question.seed, question.iterations, question.proof))
      return Promise.resolve(equalBytes(question.proof, modelledProof(question.seed, question.iterations)))
    }
  }

  readonly timers: Pick<Clock, 'every'> = {
    every: (milliseconds, action) => {
      const timer = { milliseconds, dueMs: this.nowMs() + milliseconds, action }
      this.#timers.add(timer)
      return () => this.#timers.delete(timer)
    }
  }

  /**
   * Starts a node that joins through the first one (or those given); it is not waited for.
   *
   * @param options.place an IPv4 address of this machine, such as 127.2.3.4, to listen on and dial from: it gives the
   *   node its prefixes
   */
  async addNode(
    options: {
      mode?: ModeSetting
      bootstrap?: string[]
      place?: string
      listen?: string
      announce?: string[]
      directory?: string
      seed?: Uint8Array
    } = {}
  ): Promise<LabNode> {
    const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'chronym-lab-'))
    this.#directories.add(directory)
    const store = openStore(join(directory, 'chronym.db'))
    const network = createNetwork({
      profile: this.profile,
      store,
      nodeSeed: options.seed ?? sha256(utf8('node'), u64be(this.#seeds++)),
      beacon: this.beacon,
      pool: this.pool,
      listen: [options.listen ?? listenAt(options.place ?? HERE)],
      ...(options.place !== undefined && { dialFrom: options.place }),
      announce: options.announce ?? [],
      bootstrap: options.bootstrap ?? this.nodes.slice(0, 1).map(({ address }) => address),
      mode: options.mode ?? 'full',
      log: pino({ level: process.env['LAB_LOG'] ?? 'silent' }),
      clock: createRoundClock(this.beacon, this.profile, store, this.nowMs),
      elapsed: () => this.elapsedMs(),
      timers: this.timers,
      random: () => 0
    })
    await network.start()
    const node = { network, store, directory, address: network.addresses()[0]?.address ?? '' }
    this.nodes.push(node)
    return node
  }

  /**
   * Starts that many nodes, the one of each index at its place where one is given, and waits until every one knows
   * enough others.
   */
  async addNodes(count: number, place?: (index: number) => string): Promise<LabNode[]> {
    const added: LabNode[] = []
    for (let index = 0; index < count; index++) {
      added.push(await this.addNode(place === undefined ? {} : { place: place(index) }))
      // On a busy machine two dozen that join at a time are too slow for the first dial, and the lab's time repeats none.
      await this.connected(Math.min(1, this.nodes.length - 1))
    }
    await this.connected()
    return added
  }

  /**
   * Waits until every serving node knows `expected` peers. By default all others, up to k: a joining node does not look
   * for more at once.
   */
  async connected(expected = Math.min(this.nodes.length - 1, this.profile.k)): Promise<void> {
    await waitFor(() => {
      for (const { network } of this.nodes) {
        if (network.status().mode === 'full' && network.knownPeers() < expected)
          throw new Error(`a node knows ${network.knownPeers()} of ${expected}`)
      }
    }, 20)
  }

  /**
   * A bare node of the same network, for what no honest peer sends. It is connected to the first node.
   */
  async addStranger(): Promise<Node> {
    const stranger = await startNode({
      profile: this.profile,
      nodeSeed: sha256(utf8('stranger'), u64be(this.#seeds++)),
      listen: [listenAt(HERE)],
      bootstrap: () => [],
      isBanned: () => false,
      mayConnect: () => true,
      agent: 'stranger'
    })
    this.#strangers.push(stranger)
    await stranger.dial(multiaddr(this.nodes[0]!.address))
    return stranger
  }

  async stopNode(node: LabNode): Promise<void> {
    this.nodes.splice(this.nodes.indexOf(node), 1)
    await node.network.stop()
    node.store.close()
  }

  async close(): Promise<void> {
    for (const stranger of this.#strangers) await stranger.stop()
    await Promise.all([...this.nodes].map((node) => this.stopNode(node)))
    for (const directory of this.#directories) rmSync(directory, { recursive: true, force: true })
  }

  stamp(commitment: Uint8Array): Uint8Array {
    for (let attempt = 0; ; attempt++) {
      const nonce = u64be(attempt)
      if (stampHolds(commitment, nonce, this.profile.stamp_bits, this.hash)) return nonce
    }
  }

  owner(who: string): KeyPair {
    return keyPairFromSeed(sha256(utf8(who)))
  }

  commitment(name: string, owner: KeyPair, salt = saltOf('first'), next?: Uint8Array): Uint8Array {
    return commitmentHash(name, owner.publicKey, salt, this.hash, next)
  }

  /** A first claim of a name, or the renewal of `former`. */
  reveal(
    name: string,
    owner: KeyPair,
    options: { p: number; salt?: Uint8Array; serial?: number; former?: Reveal; next?: Uint8Array }
  ): Reveal {
    const { p, salt = saltOf('first'), serial = 1, former, next } = options
    const iterations =
      former === undefined
        ? iterationsFor(parseName(name, this.profile), this.profile)
        : renewalIterations(parseName(name, this.profile), this.profile)
    const pulse = this.pulse(p)
    const chain: readonly Link[] = former === undefined ? [] : linksOf(former)
    const seed = vdfSeed(
      {
        commitment: this.commitment(name, owner, salt, next),
        round: p,
        randomness: pulse.randomness,
        before: chain.at(-1)?.proof
      },
      this.hash
    )
    const vdf_proof = encodeVdfProof({
      pulse: pulse.signature,
      proof: modelledProof(seed, iterations),
      salt,
      ...(chain.length > 0 && { chain }),
      ...(next && { next })
    })
    const payload = utf8(JSON.stringify({ records: {}, serial }))
    return signReveal({ name, drand_pulse: p, iterations, vdf_proof, payload }, owner, this.hash)
  }

  /** The id of a record's claim, 32 bytes. */
  claimId(reveal: Reveal): Uint8Array {
    return claimIdOf(reveal, decodeVdfProof(reveal.vdf_proof), this.hash).id
  }

  /** The same claim with another zone. */
  updated(reveal: Reveal, owner: KeyPair, serial: number): Reveal {
    return signReveal({ ...reveal, payload: utf8(JSON.stringify({ records: {}, serial })) }, owner, this.hash)
  }

  /** Commits to a name at a node. */
  commit(
    node: LabNode,
    name: string,
    owner: KeyPair,
    salt = saltOf('first'),
    next?: Uint8Array
  ): Promise<CommitOutcome> {
    const commitment = this.commitment(name, owner, salt, next)
    return node.network.commit(name, commitment, this.stamp(commitment))
  }

  /** Commits to a name at a node, lets the pulse come, and gives the Reveal that is now due. */
  async claim(node: LabNode, name: string, owner: KeyPair, salt = saltOf('first'), next?: Uint8Array): Promise<Reveal> {
    await this.commit(node, name, owner, salt, next)
    this.advance(this.profile.min_commit)
    return this.reveal(name, owner, { p: this.round, salt, ...(next && { next }) })
  }
}

export function saltOf(text: string): Uint8Array {
  return sha256(utf8(`salt ${text}`))
}

/** 200 bytes that only this seed and number of squarings have. */
function modelledProof(seed: Uint8Array, iterations: number): Uint8Array {
  return concatBytes(
    ...Array.from({ length: 7 }, (_, index) => sha256(seed, u64be(iterations), u64be(index)))
  ).subarray(0, 200)
}
