/**
 * The peer-to-peer network as the registry sees it. Records are the protocol's; how peers are found and
 * how records are stored, repaired and moved is the network's own business.
 */
import type { Claim } from '../protocol/claim/claim.ts'
import type { Origin } from '../protocol/neighbourhood/diversity.ts'
import type { EntryState } from '../protocol/admission/entry.ts'
import { PartError } from '../protocol/errors.ts'
import type { Equivocation } from '../protocol/claim/order.ts'
import type { Reveal } from '../protocol/claim/reveal.ts'

export type NetworkMode = 'full' | 'light' | 'offline'

export interface NetworkStatus {
  status: 'online' | 'connecting' | 'offline'
  peers: number
  mode: NetworkMode
  peer_id: string
  /** Records held here for the network. */
  records: number
}

/**
 * How far a record got: peers that showed it when it was read back, of those who should hold it; refusals with their
 * reasons.
 */
export interface PutOutcome {
  storedBy: number
  of: number
  refusals: readonly { peer: string; code: string; detail: string }[]
}

/** What is kept of a peer's receipt (src/protocol/claim/receipt.ts) once its signature is verified. */
export interface VerifiedReceipt {
  peer: string
  /** Round at which the peer first saw the commitment. */
  seenRound: number
  signature: Uint8Array
}

export interface CommitOutcome {
  receipts: readonly VerifiedReceipt[]
  of: number
}

/**
 * One peer's word about a name. Among the answers of a look-up there are at most `answers_per_prefix` of one /24 or
 * /48.
 */
export interface RevealAnswer {
  peer: string
  /** Our own store. */
  self: boolean
  state: EntryState | 'none'
  /** Present unless the state is `none`: for a record as verified here, else as the peer says. */
  claimId?: Uint8Array
  /**
   * The record, Valid by the profile. Missing where the peer keeps only the stub of a settled claim, and in answers to
   * `probe` while few list the name.
   */
  reveal?: Reveal
  /** What the rules need to know of `reveal`. */
  claim?: Claim
}

/** `majority`: a look-up ends once more than half of those asked agree. `everybody`: it waits for all. */
export type LookupBreadth = 'majority' | 'everybody'

/**
 * Who was asked and gave no answer that counts. `no-answer`: not reached, too slow, or nothing that can be read;
 * `invalid`: a record that is not Valid.
 */
export interface SilentPeer {
  peer: string
  reason: 'no-answer' | 'busy' | 'invalid'
}

export interface RevealLookup {
  answers: readonly RevealAnswer[]
  asked: number
  /** Those still being asked when a look-up ended early are not among them. */
  silent: readonly SilentPeer[]
  /** Nodes in the network, ourselves counted: an estimate. */
  networkSize: number
  /**
   * Further peers near the name that do not count: as many others of their prefix as the profile lets count were asked
   * or have answered.
   */
  leftOut: number
}

/** Documents of a DID that peers hold. */
export interface FoundDocuments {
  /** Distinct, our own store's first. They are not verified. */
  readonly records: readonly Uint8Array[]
  /**
   * How many diverse peers show each, our own store counted; 0 for what is shown only by more of one prefix than count.
   */
  readonly shownBy: readonly number[]
  /** More than half of the diverse ones asked have answered. */
  readonly isAnswered: boolean
}

/** What our own store holds of a name, whatever others say. */
export interface HeldEntry {
  state: EntryState
  claim: Claim
  /** v when the first claim of this tenure was entered. */
  tenureRound: number
  /** Of a provisional entry: claims of other keys that have come since. */
  rivals: number
  /** Only the stub of the claim is kept. */
  isStub: boolean
  /** The owner signed two payloads at one (p, serial). */
  equivocation?: Equivocation
}

/** Raised by look-ups and puts when nobody can be asked. */
export class OfflineError extends PartError<'network', 'offline'> {
  override readonly name = 'OfflineError'
  override readonly part = 'network'

  constructor(message: string, options?: ErrorOptions) {
    super('offline', message, options)
  }
}

/** Raised by `start` and `setMode`: an address that cannot be listened on, or that the network profile refuses. */
export class ListenError extends PartError<'network', 'listen'> {
  override readonly name = 'ListenError'
  override readonly part = 'network'

  constructor(message: string, options?: ErrorOptions) {
    super('listen', message, options)
  }
}

export interface NetworkEvent {
  type: 'peer:connect' | 'peer:disconnect' | 'record:stored' | 'mode'
  detail: Record<string, string | number>
}

export interface Network {
  start(): Promise<void>
  stop(): Promise<void>
  status(): NetworkStatus
  /**
   * Whether anybody can be asked now: without, look-ups and puts throw OfflineError. Those that are asked may still not
   * answer.
   */
  canAsk(): boolean
  /** The peers of the routing table and their prefixes, without those that we were never connected to. */
  origins(): Origin[]
  setMode(mode: NetworkMode): Promise<void>
  listenAddresses(): string[]
  /**
   * Sends C with its stamp to the neighbourhood of K(name), never K(name) itself. Nothing is sent once `signal` is
   * aborted.
   */
  commit(name: string, commitment: Uint8Array, nonce: Uint8Array, signal?: AbortSignal): Promise<CommitOutcome>
  /**
   * Stores at the peers closest to K(name), then reads back from those who should hold it, peers not written to among
   * them where there are any, until more than half have it. From then on it is republished. Nothing is sent once
   * `signal` is aborted.
   */
  putReveal(reveal: Reveal, signal?: AbortSignal): Promise<PutOutcome>
  /** From now on `former` is republished for the name, or nothing; a republishing under way ends. Throws StoreError. */
  withdrawReveal(name: string, former: Reveal | undefined): void
  getReveals(name: string, signal?: AbortSignal, breadth?: LookupBreadth): Promise<RevealLookup>
  /** Undefined where nothing is held, and in the modes that hold nothing. */
  heldHere(name: string): HeldEntry | undefined
  /**
   * Is the name taken? Lists what is held under the blinded prefix of K(name) and compares here, so that asking
   * announces nothing. Where most of those who should hold it list it, they are asked for its record among others of
   * their listings: an answer with `claim` is proved, any other is what the peer says.
   */
  probe(name: string, signal?: AbortSignal): Promise<RevealLookup>
  /** The record is the whole identity log (encoded, see protocol/kid.ts). */
  putIdentity(did: string, log: Uint8Array): Promise<PutOutcome>
  getIdentity(did: string, signal?: AbortSignal): Promise<FoundDocuments>
  putManifest(did: string, manifest: Uint8Array): Promise<PutOutcome>
  getManifest(did: string, signal?: AbortSignal): Promise<Uint8Array[]>
  subscribe(listener: (event: NetworkEvent) => void): () => void
}
