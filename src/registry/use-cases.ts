/**
 * The use cases, as the HTTP interface calls them, with what they take and answer. Every failure that a user can meet is
 * a ServiceError with a code of the table (error-table.ts). Times: ISO 8601.
 */
import type { ModeSetting } from '../network/types.ts'
import type { ChangeWordsView, KeysView, OfferView } from '../views/keys.ts'
import type { NoticeSeen } from '../protocol/resolution/notice.ts'
import type { Reveal } from '../protocol/claim/reveal.ts'
import type { Estimate, RenewalGain, TaskView } from '../views/task.ts'
import type { Explanation } from '../views/explanation.ts'
import type { NameWarningCode, OwnedNameView, OwnIdentityView, WantedView, ZoneDraft } from '../views/own.ts'
import type { NetworkStatusView, PeerClockView, PeerView } from '../views/network.ts'
import type { FollowedListsView, PinnedCodesView, PinView } from '../views/pin.ts'
import type { CommittedBy, StoredBy } from '../views/common.ts'
import type { ServiceError } from '../errors.ts'
import type { Service } from '../protocol/identity/document.ts'
import type { Zone } from '../protocol/zone/zone.ts'

export interface RegistryEvent {
  type:
    | 'name:held'
    | 'name:changing'
    | 'name:contested'
    | 'name:lost'
    | 'name:changed'
    | 'name:sold'
    | 'name:warning'
    | 'name:warning-over'
  detail: { name: string; warning?: NameWarningCode; message?: string }
}

/** The network, as this node sees it. */
interface Peers {
  networkStatus(): NetworkStatusView
  /** Nearest to this node first. */
  peers(): PeerView[]
  /** Names held here for the network, drawn at random. */
  sampleNames(count: number): string[]
  /** What the clocks of the nearest peers say. SVC-RES-001. */
  clocks(signal?: AbortSignal): Promise<PeerClockView[]>
  /** Dials a multiaddr. SVC-REQ-001, SVC-NET-001, SVC-RES-001. */
  connect(address: string): Promise<PeerView>
  setMode(mode: ModeSetting): Promise<void>
}

/** What names mean. */
interface Resolution {
  /** SVC-NAM-001, SVC-RES-001..004. */
  resolve(name: string, signal?: AbortSignal): Promise<ResolvedName>
  /** What `resolve` answers from memory; undefined where it asks, or refuses. */
  kept(name: string): ResolvedName | undefined
  /**
   * As `resolve`, with the times left for a copy. `leastLeft` (0..1): asks peers unless more than this share of the kept
   * answer's fresh time is left. SVC-NAM-001, SVC-RES-001, SVC-RES-004; SVC-RES-002 for a reserved name.
   */
  lookUp(name: string, options?: { leastLeft?: number; signal?: AbortSignal }): Promise<LookedUp>
  /** Whether the key of a record is that of a name which this daemon holds. */
  isOwnRecord(reveal: Reveal): boolean
  /** Drops the kept answer of a name, in its canonical form, or all of them: the next question asks peers. */
  forget(name?: string): void
  /** Calls back when a kept answer is dropped, with its name, or undefined for all. Returns what ends that. */
  onForgotten(listener: (name: string | undefined) => void): () => void
  /** `withOwn`: with what only the owner of this daemon may see. SVC-NAM-001/002, SVC-RES-001. */
  explain(name: string, options?: { withOwn?: boolean; signal?: AbortSignal }): Promise<Explanation>
}

/** DIDs, their documents and manifests. */
interface Identities {
  /** SVC-NAM-001, SVC-RES-001, SVC-RES-002. */
  resolveIdentity(did: string, signal?: AbortSignal): Promise<ResolvedIdentity>
  /** As resolveIdentity, for all versions. */
  resolveIdentityLog(did: string, signal?: AbortSignal): Promise<ResolvedIdentityLog>
  /** The method of this network's DIDs: `chronym`. */
  readonly didMethod: string
  /** Those that this daemon published or adopted. SVC-STO-001. */
  ownIdentities(): OwnIdentityView[]
  /** Signed with the seed. SVC-KEY-006, SVC-OWN-001, SVC-KID-001, SVC-PUB-002. */
  createKid(identity: NewIdentity): Promise<{ did: string; version: number } & StoredBy>
  publishKid(authorizedIdentity: unknown): Promise<{ did: string; version: number } & StoredBy>
  publishManifest(authorizedManifest: unknown): Promise<{ did: string; version: number } & StoredBy>
}

/** What names say: drafts and publications. */
interface Zones {
  /** SVC-ZON-001 besides those of resolve. */
  publicZone(name: string, signal?: AbortSignal): Promise<ZoneView>
  /** The draft, else what this daemon published of a name that it holds. SVC-NAM-001/002. */
  localZone(name: string): ZoneView | undefined
  /** Holds a zone against the rules and saves nothing. SVC-NAM-001/002, SVC-ZON-002. */
  checkZone(name: string, zone: unknown): void
  /**
   * Saves only. The serial is the one given, which must be higher than any seen, else the next.
   * SVC-NAM-001/002, SVC-ZON-002, SVC-STO-001; SVC-OWN-001 unless the name is owned or being registered here;
   * SVC-ZON-004 when `ifMatchSerial` is not the present one.
   */
  saveZone(name: string, zone: unknown, ifMatchSerial?: number): { serial: number }
  /**
   * As saveZone, for a change to the draft, else to the published zone. SVC-ZON-002 also where a removal finds nothing.
   */
  patchZone(name: string, patch: ZonePatch, ifMatchSerial?: number): { serial: number }
  /** What is published stays. SVC-NAM-001/002, SVC-ZON-003 where there is no draft, SVC-ZON-004, SVC-STO-001. */
  discardZone(name: string, ifMatchSerial?: number): void
  drafts(): ZoneDraft[]
  /** SVC-OWN-001, SVC-ZON-003, SVC-PUB-002. */
  publishZone(name: string, signal?: AbortSignal): Promise<{ serial: number } & StoredBy>
}

export interface FollowOptions {
  /** Multikey that must have signed the list; else the first one says which. */
  readonly key?: string
  /** How many publishers must agree from now on, of all lists. */
  readonly agree?: number
  /** False: no longer. */
  readonly follow?: boolean
}

/** What this machine remembers of owners. */
interface Pins {
  /** The first thousand pins by name, or those after the name `after`. SVC-NAM-001/002. */
  pins(after?: string): PinView[]
  /**
   * Bare names mean the claims with these codes from now on: `alice--7kq2mx.chronym`, or `alice.chronym 7kq2mx`. All or
   * none. SVC-NAM-001/002, SVC-PIN-002, SVC-STO-001.
   */
  pinCodes(codes: readonly string[], dryRun?: boolean): PinnedCodesView
  /** The next look alone decides who owns the name. SVC-NAM-001/002, SVC-PIN-001, SVC-PIN-002. */
  forgetPin(name: string): void
  pinLists(): FollowedListsView
  /** Follows the list at an https address, in a file or of a coded name. SVC-PIN-003, SVC-STO-001. */
  followPinList(source: string, options?: FollowOptions): Promise<FollowedListsView>
}

/** Claims made here, by a task or by hand. */
interface Claims {
  register(name: string, options: { zone?: unknown }): Promise<TaskView>
  renew(name: string, options: { zone?: unknown }): Promise<TaskView>
  /** What a renewal begun now gives. SVC-NAM-*. */
  renewalGain(name: string): RenewalGain
  /** SVC-NAM-*, SVC-VDF-001. */
  estimate(name: string): Promise<Estimate>
  /** Manual flow: C itself; the stamp is added here. SVC-NAM-001/002, SVC-RES-001, SVC-PUB-002. */
  commit(name: string, commitment: Uint8Array): Promise<CommittedBy>
  /** Manual flow: a finished Reveal. SVC-PUB-001, SVC-PUB-002, SVC-REG-001. */
  publish(reveal: Reveal): Promise<StoredBy>
}

/** The names of this daemon, and those that it looks for. */
interface Names {
  ownedNames(): OwnedNameView[]
  /**
   * Lets a name lapse, and returns its new state. A sold name leaves the list: returns its last state. SVC-NAM-*,
   * SVC-OWN-001, SVC-RES-003, SVC-REG-002, SVC-STO-001.
   */
  release(name: string): OwnedNameView
  /** Takes a released name back. As `release`, without SVC-REG-002; SVC-OWN-002 for a sold name. */
  takeBack(name: string): OwnedNameView
  adoptions(): WantedView[]
  /** Looks for a name or DID of ours now, and again until it is found. SVC-NAM-001/002, SVC-REQ-001, SVC-WNT-001. */
  adopt(nameOrDid: string): Promise<WantedView>
  /** Stops looking for it. SVC-WNT-002. */
  stopAdopting(nameOrDid: string): void
}

/** What the present owner gives beside an offer: the revealed change key and its signature; neither where none is named. */
export interface Authority {
  readonly key?: Uint8Array | undefined
  readonly signature?: Uint8Array | undefined
}

/** Changes of the keys of names, and the change words that they need: src/registry/keys. */
interface Keys {
  /** Which keys a name has, by the network. SVC-NAM-*, SVC-RES-*. */
  keysOf(name: string): Promise<KeysView>
  /** An offer of this daemon to take a claim over. SVC-NAM-*, SVC-RES-*, SVC-KEY-006, SVC-CHG-001, SVC-CHG-003. */
  offerFor(name: string, alone: boolean): Promise<OfferView>
  /** SVC-NAM-*, SVC-CHG-002, SVC-CHG-004, SVC-OWN-001, SVC-PUB-001/002, SVC-KEY-006, SVC-RES-*. */
  acceptOffer(offer: string, authority: Authority): Promise<StoredBy>
  changeWords(): ChangeWordsView
  /** SVC-REQ-001 for what is not a point. */
  setChangePoint(point: Uint8Array): ChangeWordsView
}

export interface Registry extends Keys, Peers, Resolution, Identities, Zones, Pins, Claims, Names {
  start(): Promise<void>
  stop(): Promise<void>
  subscribe(listener: (event: RegistryEvent) => void): () => void
}

export interface ResolvedName {
  reveal: Reveal
  /** The whole check code of its claim. */
  checkCode: string
  /**
   * `thin`: fewer answers than a full quorum; `provisional`: not yet settled; `proven`: the claim has the check code that
   * was asked for, whatever peers say.
   */
  confidence: 'settled' | 'provisional' | 'thin' | 'proven'
  /** `own`, `held`: no peer answered, and this daemon has the record itself. Then it is `thin` or `proven`. */
  source: 'network' | 'own' | 'held'
  /** The last change of its keys is not final: another may still take its place. */
  keysPending?: true
  /** A change with one signature, which counts once it is final. Until then this record is served. */
  notice?: NoticeSeen & { readonly finalAt: string | null }
  /** Of an answer that is given while peers are asked again: when they gave it, milliseconds since 1970. */
  askedAtMs?: number
}

/**
 * What is known of a name, for a copy of the kept answer. Milliseconds from now: fresh, then usable while the copy's
 * owner asks again. 0 where it may not be kept.
 */
export type LookedUp = { readonly freshMs: number; readonly staleMs: number } & (
  | {
      readonly resolved: ResolvedName
      /** This daemon has seen the owner as settled twice, a while apart. */
      readonly isPinFirm: boolean
    }
  /** SVC-RES-002 or SVC-RES-003. */
  | { readonly failure: ServiceError }
)

/** A zone with its serial; the ETag of the HTTP layer is made from it. */
export interface ZoneView {
  zone: Zone
  source: 'local' | ResolvedName['source']
  /** `draft`: saved here, and not what was published last. */
  state: ZoneState
}

type ZoneState = 'draft' | 'published'

/** A change of some records: first the removals, then the additions. */
export interface ZonePatch {
  readonly remove: readonly ZoneSelector[]
  /** Label to records, as in a zone. A record that is there already takes the ttl given here. */
  readonly add: unknown
}

export interface ZoneSelector {
  readonly label: string
  readonly type?: string | undefined
  readonly value?: string | undefined
}

/** What an owner says of a new identity. */
export interface NewIdentity {
  /** A name of ours that carries it; without one, work does. */
  readonly name?: string
  /** With relative ids: `#files`. */
  readonly services?: readonly Service[]
  readonly alsoKnownAs?: readonly string[]
  /** 0 to 63, of the seed's keys; else the first that no identity here had. */
  readonly index?: number
}

export interface ResolvedIdentity {
  kid_document: Record<string, unknown>
  /** Without one: no capabilities, and no member else. */
  manifest_document: { capabilities: readonly unknown[] } & Record<string, unknown>
  /** Most of the peers that should hold a manifest answered; if not, one without members leaves open whether there is one. */
  manifest_answered: boolean
}

export interface ResolvedIdentityLog {
  readonly did: string
  /** Version 1 first. */
  readonly versions: readonly Record<string, unknown>[]
}
