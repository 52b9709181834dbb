/** A network in which everybody holds everything, without messages. */
import { isShownByMost } from '../../src/network/client/blinded.ts'
import {
  DialError,
  OfflineError,
  type CommitOutcome,
  type FoundDocuments,
  type HeldEntry,
  type KnownPeer,
  type LookupBreadth,
  type Network,
  type NetworkEvent,
  type NetworkMode,
  type NetworkStatus,
  type OwnAddress,
  type PeerPlace,
  type PeerClock,
  type PublishOptions,
  type PutOutcome,
  type RevealAnswer,
  type RevealLookup
} from '../../src/network/types.ts'
import { clockRound } from '../../src/protocol/time.ts'
import { toHex } from '../../src/protocol/encoding/bytes.ts'
import { claimOf, type Claim, compareRecords } from '../../src/protocol/claim/claim.ts'
import { judgeManifest } from '../../src/protocol/identity/judge-documents.ts'
import { compareManifestOrder } from '../../src/protocol/identity/manifest.ts'
import type { EntryState } from '../../src/protocol/admission/entry.ts'
import type { Origin } from '../../src/protocol/neighbourhood/diversity.ts'
import type { Name } from '../../src/protocol/name/names.ts'
import { decodeReveal, encodeReveal, type Reveal } from '../../src/protocol/claim/reveal.ts'
import { stampHolds } from '../../src/protocol/crypto/domain.ts'
import { profileHash } from '../../src/protocol/profile/profile.ts'
import { profile } from './test-profile.ts'
import type { FakePeer, FakeWorld } from './fake-world.ts'

/** The network as node `self` of a world sees it; everybody holds everything. Counts what is sent. */
/** The round after which each fake peer calls a notice final. */
export const NOTICE_FINAL = 10 ** 6

export class FakeNetwork implements Network {
  /** A loopback network without bootstrap peers. */
  isWhole = false
  readonly #world: FakeWorld
  readonly #self: string | undefined
  readonly sent: string[] = []
  /** What it republishes, by name. */
  readonly own = new Map<string, Reveal>()
  mode: NetworkMode = 'full'
  readonly #listeners = new Set<(event: NetworkEvent) => void>()
  /** Called before each message; throws to fail it. */
  before: (kind: string, name: string) => void | Promise<void> = () => undefined

  /** Makes all messages of a kind fail from now on. */
  fail(failing: string): void {
    this.before = (kind) => {
      if (kind === failing) throw new Error('nobody takes it')
    }
  }
  /** Holds messages of a kind back, or only the first: says when there is one, and lets it go. */
  holdBack(held: string, { once = false } = {}): { sending: Promise<undefined>; release: () => void } {
    const sending = Promise.withResolvers<undefined>()
    const gate = Promise.withResolvers<undefined>()
    this.before = async (kind) => {
      if (kind !== held) return
      if (once) this.before = () => undefined
      sending.resolve(undefined)
      await gate.promise
    }
    return { sending: sending.promise, release: () => gate.resolve(undefined) }
  }

  constructor(world: FakeWorld, self?: string) {
    this.#world = world
    this.#self = self
  }
  start(): Promise<void> {
    return Promise.resolve()
  }
  stop(): Promise<void> {
    return Promise.resolve()
  }
  status(): NetworkStatus {
    const isOffline = this.mode === 'offline'
    const peers = isOffline ? 0 : this.#world.present().filter((peer) => peer.id !== this.#self).length
    return {
      status: isOffline ? 'offline' : peers === 0 && !this.isWhole ? 'connecting' : 'online',
      peers,
      mode: this.mode,
      auto: null,
      peer_id: this.#self ?? 'light',
      connecting: null,
      records: 0
    }
  }
  canAsk(): boolean {
    return this.status().status === 'online'
  }
  /** Further peers that do not count beside others of their prefix. */
  leftOut = 0
  /** As many as should be there, where the profile limits prefixes. */
  fewest = 0
  /** Each peer in a prefix of its own. */
  origins(): Origin[] {
    return this.#world.present().flatMap(({ id }) => (id === this.#self ? [] : [{ peer: id, prefix: id }]))
  }
  size(): number | undefined {
    return this.mode === 'offline' ? undefined : this.#world.peers.length
  }
  peers(): KnownPeer[] {
    return this.origins().map((origin) => ({
      ...origin,
      distance: 0.5,
      isInTable: true,
      agent: null,
      connection: null
    }))
  }
  sampleNames(): string[] {
    return []
  }
  clocks(): Promise<PeerClock[]> {
    return Promise.resolve([])
  }
  placeOf(_name: string, peer: string): PeerPlace {
    return { distance: 0.25, prefix: peer === this.#self ? null : peer }
  }
  setMode(mode: NetworkMode): Promise<void> {
    this.mode = mode
    return Promise.resolve()
  }
  dial(address: string): Promise<KnownPeer> {
    return Promise.reject(new DialError('unreached', address))
  }
  addresses(): OwnAddress[] {
    return []
  }
  async commit(name: string, commitment: Uint8Array, nonce: Uint8Array, signal?: AbortSignal): Promise<CommitOutcome> {
    const peers = await this.#reach('commit', name, signal)
    const key = toHex(commitment)
    const now = clockRound(this.#world.clock.now(), profile.beacon)
    const receipts = peers.flatMap((peer) => {
      if (peer.refuses !== undefined || !stampHolds(commitment, nonce, profile.stamp_bits, profileHash(profile)))
        return []
      if (!peer.commitments.has(key)) peer.commitments.set(key, now)
      return [{ peer: peer.id, seenRound: peer.commitments.get(key)!, signature: new Uint8Array(64) }]
    })
    return { receipts, of: peers.length }
  }
  async putReveal(reveal: Reveal, { signal, first, isNotice = false }: PublishOptions = {}): Promise<PutOutcome> {
    await first?.()
    signal?.throwIfAborted()
    const former = this.own.get(reveal.name)
    if (!isNotice && (former === undefined || compareRecords(claimIn(reveal), claimIn(former)) >= 0))
      this.own.set(reveal.name, reveal)
    const peers = await this.#reach('reveal', reveal.name, signal)
    const refusals: PutOutcome['refusals'][number][] = []
    let storedBy = 0
    for (const peer of peers) {
      const held = peer.reveals.get(reveal.name)
      const other = held !== undefined && Buffer.compare(claimIn(held.reveal).id, claimIn(reveal).id) !== 0
      if (peer.refuses !== undefined || other) {
        refusals.push({ peer: peer.id, code: peer.refuses ?? 'taken', detail: 'the name is settled with another key' })
        continue
      }
      const before = held === undefined ? undefined : claimIn(held.reveal).changes.length
      if (
        held !== undefined &&
        claimIn(reveal)
          .changes.slice(before)
          .some(({ consented }) => !consented)
      )
        held.notice = decodeReveal(encodeReveal(reveal))
      else if (held === undefined || compareRecords(claimIn(reveal), claimIn(held.reveal)) > 0) {
        const notice = claimIn(reveal).changes.length === before ? held?.notice : undefined
        peer.reveals.set(reveal.name, {
          state: 'settled',
          reveal: decodeReveal(encodeReveal(reveal)),
          ...(notice && { notice })
        })
      } else if (compareRecords(claimIn(reveal), claimIn(held.reveal)) < 0) {
        refusals.push({ peer: peer.id, code: 'stale', detail: 'the peer holds a newer record of the same key' })
        // As the real one: what counts is what was published here.
        if (compareRecords(claimIn(this.own.get(reveal.name)!), claimIn(held.reveal)) !== 0) continue
      }
      storedBy++
    }
    return { storedBy, of: peers.length, refusals }
  }
  withdrawReveal(name: string, former: Reveal | undefined): void {
    if (former === undefined) this.own.delete(name)
    else this.own.set(name, former)
  }
  /** How widely it looked, of each look for a name. */
  readonly breadths: LookupBreadth[] = []
  /** These peers alone hold names at the places of their check codes; all, unless a test says otherwise. */
  atCodes: (peer: FakePeer) => boolean = () => true
  async getReveals(
    name: string,
    signal?: AbortSignal,
    breadth: LookupBreadth = 'majority',
    code?: string
  ): Promise<RevealLookup> {
    const found = await this.#look('get', name, signal)
    if (code === undefined) {
      this.breadths.push(breadth)
      return found
    }
    const atCode = new Set(this.#world.peers.filter(this.atCodes).map(({ id }) => id))
    return { ...found, answers: found.answers.filter(({ peer }) => atCode.has(peer)) }
  }
  /** Both places have the same peers here. */
  getByCode(name: string): Promise<RevealLookup> {
    return this.#look('get', name)
  }
  heldHere(name: string): HeldEntry | undefined {
    const held = this.#world.peers.find(({ id }) => id === this.#self)?.reveals.get(name)
    if (held === undefined || held.state === 'none') return undefined
    return {
      state: held.state,
      claim: claimIn(held.reveal),
      tenureRound: held.reveal.drand_pulse,
      rivals: 0,
      isStub: false,
      ...this.noted.get(name)
    }
  }
  storedRecord(name: string): { state: EntryState; claim: Claim; reveal: Reveal } | undefined {
    const held = this.#world.peers.find(({ id }) => id === this.#self)?.reveals.get(name)
    if (held === undefined || held.state === 'none') return undefined
    return { state: held.state, claim: claimIn(held.reveal), reveal: held.reveal }
  }
  /** What its own store has noted beside an entry. */
  readonly noted = new Map<string, Partial<HeldEntry>>()
  async probe(name: string): Promise<RevealLookup> {
    // As the real one: states and claim ids, and the records of those who list it where they are enough to be asked for
    // it.
    const { answers, ...rest } = await this.#look('probe', name)
    const others = answers.filter(({ self }) => !self)
    const showing = others.filter(({ state }) => state !== 'none').length
    const isProved = isShownByMost(
      { showing, heard: others.length, asked: others.length + rest.silent.length },
      profile
    )
    return {
      answers: answers.map(({ peer, self, state, claimId, reveal, claim }) => ({
        peer,
        self,
        state,
        ...(claimId !== undefined && { claimId }),
        ...((isProved || self) && !this.hides && reveal !== undefined && claim !== undefined && { reveal, claim })
      })),
      ...rest
    }
  }
  /** Peers that list names show no records of them. */
  hides = false
  putIdentity(did: string, log: Uint8Array): Promise<PutOutcome> {
    return this.#putDocument('identities', did, log)
  }
  async getIdentity(did: string): Promise<FoundDocuments> {
    return this.#found(await this.#getDocuments('identities', did))
  }
  /** At most half of those asked for an identity or a manifest answer. */
  isThin = false
  putManifest(did: string, manifest: Uint8Array): Promise<PutOutcome> {
    return this.#putDocument('manifests', did, manifest)
  }
  async getManifest(did: string): Promise<FoundDocuments> {
    return this.#found(await this.#getDocuments('manifests', did))
  }
  #found(records: Uint8Array[]): FoundDocuments {
    return { records, shownBy: records.map(() => 1), isAnswered: !this.isThin && this.status().peers > 0 }
  }
  subscribe(listener: (event: NetworkEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  emit(event: NetworkEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  async #look(kind: string, name: string, signal?: AbortSignal): Promise<RevealLookup> {
    const peers = await this.#reach(kind, name, signal)
    const silent = peers.flatMap(({ id, silent: reason }) => (reason === undefined ? [] : [{ peer: id, reason }]))
    const answers = peers
      .filter((peer) => peer.silent === undefined)
      .map((peer): RevealAnswer => {
        const held = peer.reveals.get(name)
        const origin = { peer: peer.id, self: peer.id === this.#self }
        return held === undefined
          ? { ...origin, state: 'none' }
          : {
              ...origin,
              state: held.state,
              ...(held.isStub !== true && { reveal: held.reveal, claim: claimIn(held.reveal) }),
              ...(held.changes && { changes: held.changes }),
              ...(held.notice && {
                notice: {
                  reveal: held.notice,
                  claim: claimIn(held.notice),
                  changes: { head: claimIn(held.notice).changes.at(-1)!.hash, final: NOTICE_FINAL }
                }
              }),
              claimId: claimIn(held.reveal).id
            }
      })
    return {
      answers,
      asked: Math.max(this.fewest, peers.length),
      silent,
      networkSize: this.#world.peers.length,
      leftOut: this.leftOut
    }
  }
  async #putDocument(kind: 'identities' | 'manifests', did: string, bytes: Uint8Array): Promise<PutOutcome> {
    const peers = await this.#reach(kind, did)
    const stored = peers.filter((peer) => peer.refuses === undefined)
    const stale = stored.filter((peer) => kind === 'manifests' && isNewerManifest(peer.manifests.get(did), bytes))
    for (const peer of stored) if (!stale.includes(peer)) peer[kind].set(did, bytes)
    return {
      storedBy: stored.length,
      of: peers.length,
      refusals: stale.map(({ id }) => ({
        peer: id,
        code: 'stale',
        detail: 'the peer holds a newer record of the same key'
      }))
    }
  }
  async #getDocuments(kind: 'identities' | 'manifests', did: string): Promise<Uint8Array[]> {
    const peers = await this.#reach(`get ${kind}`, did)
    return peers.flatMap((peer) => peer[kind].get(did) ?? [])
  }
  async #reach(kind: string, name: string, signal?: AbortSignal): Promise<FakePeer[]> {
    // As in the real network, what is under way ends at once when it is aborted.
    const aborted = Promise.withResolvers<never>()
    aborted.promise.catch(() => undefined)
    signal?.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
    await Promise.race([this.before(kind, name), aborted.promise])
    signal?.throwIfAborted()
    this.sent.push(`${kind} ${name}`)
    const peers = this.mode === 'offline' ? [] : this.#world.present()
    if (peers.length === 0) throw new OfflineError('There is no peer to ask.')
    return peers
  }
}

function isNewerManifest(held: Uint8Array | undefined, bytes: Uint8Array): boolean {
  const [one, other] = [held, bytes].map((record) =>
    record === undefined ? undefined : judgeManifest(record, profile)
  )
  return one?.ok === true && other?.ok === true && compareManifestOrder(one.value, other.value) > 0
}

function claimIn(reveal: Reveal): Claim {
  return claimOf(reveal, reveal.name as Name, profile)
}
