/** What the use cases (use-cases.ts) take and answer. Times: ISO 8601. */
import type { ErrorCode } from '../errors.ts'
import type { NetworkMode, SilentPeer } from '../network/types.ts'
import type { EntryState } from '../protocol/admission/entry.ts'
import type { PinRule } from '../protocol/resolution/pin.ts'
import type { TallyRule } from '../protocol/resolution/quorum.ts'
import type { Reveal } from '../protocol/claim/reveal.ts'
import type { Zone } from '../protocol/zone/zone.ts'
import type { TaskKind, TaskView } from '../tasks/types.ts'

export interface StoredBy {
  stored_by: number
  of: number
}

/** Answer to a commitment by hand. */
export interface CommittedBy extends StoredBy {
  /** p that the rules want for it; null where fewer than half of the peers asked saw it in time for a pulse. */
  pulse_round: number | null
}

export interface NetworkStatusView {
  status: 'online' | 'connecting' | 'offline'
  peers: number
  mode: NetworkMode
  peer_id: string
  network: string
  beacon: { round: number | null; age_seconds: number | null }
  records: number
  /** Null where the profile limits no prefixes. */
  diversity: NetworkDiversityView | null
}

/** The peers of the routing table, and what the fixed quorums need of them. */
export interface NetworkDiversityView {
  /** Diverse ones, ourselves not counted. */
  peers: number
  /** The /24 and /48, and the /16 and /32, that they are in. */
  prefixes: number
  wide_prefixes: number
  /** Diverse peers for an answer that is not thin, for settling and repair, and for adoption. */
  needed: { answer: number; settle: number; adopt: number }
  /** The fewest that have to come for all three; all 0 when there are enough. */
  missing: { peers: number; prefixes: number; wide_prefixes: number }
  enough: boolean
  /** In plain words; null when there are enough. */
  message: string | null
}

export interface ResolvedName {
  reveal: Reveal
  /** `thin`: fewer answers than a full quorum; `provisional`: not yet settled. */
  confidence: 'settled' | 'provisional' | 'thin'
}

/** A zone with its serial; the ETag of the HTTP layer is made from it. */
export interface ZoneView {
  zone: Zone
  source: 'local' | 'network'
  /** `draft`: saved here, and not what was published last. */
  state: ZoneState
}

export type ZoneState = 'draft' | 'published'

/** A change of some records: first the removals, then the additions. */
export interface ZonePatch {
  readonly remove: readonly ZoneSelector[]
  /** Label to records, as a zone has them. A record that is there already takes the ttl given here. */
  readonly add: unknown
}

/** The records of a label; of one type, of one value. */
export interface ZoneSelector {
  readonly label: string
  readonly type?: string | undefined
  readonly value?: string | undefined
}

/** A zone that was saved here and not published. */
export interface ZoneDraft {
  name: string
  serial: number
  /** Null where the name has no record of ours yet. */
  published_serial: number | null
  records: number
  /** `unowned`: its registration ended without the name, or the name was lost; it can be discarded only. */
  owner: 'owned' | 'registering' | 'unowned'
}

export interface ResolvedIdentity {
  kid_document: Record<string, unknown>
  manifest_document: Record<string, unknown> | null
}

export interface ResolvedIdentityLog {
  readonly did: string
  /** Version 1 first. */
  readonly versions: readonly Record<string, unknown>[]
}

export interface OwnedName {
  name: string
  /** `contested`: peers name another key; `lost`: they have settled on it. */
  state: 'live' | 'grace' | 'lapsed' | 'contested' | 'lost'
  lease_end: string
  serial: number
  published_serial: number
  renewal: Renewal
  /** What its owner should know or do; empty while all is well. */
  warnings: NameWarning[]
}

export interface Renewal {
  /**
   * `failed`: it is due and tried again by itself; `off`: `auto_renew` is; `released`: its owner lets it lapse;
   * `impossible`: the name is lost or has lapsed, or its chain is full.
   */
  state: 'scheduled' | 'running' | 'paused' | 'failed' | 'off' | 'released' | 'impossible'
  /** From when on the daemon renews it, or would. */
  due: string | null
  /** The renewal under way. */
  task_id: string | null
  /** Renewals that the network still allows. */
  left: number
}

export const NAME_WARNING_CODES = [
  'contested',
  'lost',
  'grace',
  'lapsed',
  'renewal-off',
  'renewal-failed',
  'renewal-paused',
  'renewal-stalled',
  'renewal-late',
  'chain-ends',
  'other-daemon',
  'released'
] as const
export type NameWarningCode = (typeof NAME_WARNING_CODES)[number]

export interface NameWarning {
  code: NameWarningCode
  /** In plain words, with the cure. */
  message: string
}

/** What a renewal gives; null for what is no name of ours. */
export interface RenewalGain {
  /** By how much the end of the lease moves. */
  gain_seconds: number | null
  /** Renewals that the network still allows, before this one. */
  left: number | null
}

export interface Estimate extends RenewalGain {
  /** `renew` where this daemon owns the name, unless that was lost or has lapsed. */
  kind: TaskKind
  iterations: number
  /** On one thread of this machine, measured. */
  iterations_per_second: number
  /** From now to the finished proof: waiting for a slot and the pulse, squaring, proving. */
  seconds: number
  /** Of these, waiting for the tasks before it. */
  queued_seconds: number
  /** Of these, proving after the last squaring. */
  proving_seconds: number
  /** A proof that was finished earlier is taken up: only publishing is left. */
  proof_kept: boolean
  lease_start: string
  lease_end: string
}

/** An owner that this daemon has seen as settled (docs/protocol/rules.md, 11). Times: ISO 8601. */
export interface PinView {
  name: string
  /** Public key, hex. */
  owner: string
  /** `tentative`: seen once, warns and binds nobody. `firm`: seen twice, no other owner is believed. */
  state: 'tentative' | 'firm'
  /** The first sighting. */
  since: string
  /** When this daemon looks a second time by itself; null once that has been done. */
  second_look: string | null
  firm_since: string | null
  /** A firm one: until when no other owner is believed. A tentative one: when it ends, unless it has become firm. */
  until: string
  /** Another owner that most peers named shortly before: the name is contested. */
  rival: string | null
  contested_until: string | null
}

export interface Explanation {
  name: string
  /** One sentence in plain words: who owns it and why this daemon thinks so. */
  verdict: string
  /** The rule of docs/protocol/rules.md that decided. */
  rule: ExplainedRule
  /** That rule in words. */
  rule_text: string
  state: ExplainedState
  lease: { start: string; end: string; grace_end: string } | null
  owner: string | null
  answers: ExplainedAnswer[]
  /** Further sentences: how far the answer can be believed, and what else this daemon knows. */
  notes: string[]
  /** What resolving the name answers now: how sure that is, or the error. */
  resolves: ResolvedName['confidence'] | null
  error: { code: ErrorCode; message: string } | null
  /** Owners that are named, most votes first. */
  candidates: { owner: string; votes: number; settled_votes: number; serial: number; lease_end: string }[]
  /** Our own store counts as one of the peers, where it holds records. */
  asked: {
    peers: number
    answered: number
    silent: { peer: string; reason: SilentPeer['reason'] }[]
    /** Peers near the name, further ones, that do not count: as many others of their prefix as may count do. */
    left_out: number
  }
  /**
   * The `holders` peers nearest to the name should hold it: those within this share of the key space. Of the network's
   * size, which is an estimate.
   */
  reach: { network_size: number; holders: number; radius: number }
  /** The owner that this daemon has seen as settled; only a firm one binds it. */
  pin: Omit<PinView, 'name'> | null
  /** The owner signed two payloads at one round and serial. */
  equivocation: { pulse_round: number; serial: number; payload_hashes: string[] } | null
  /** What this daemon's own store holds of it for the network. */
  held_here: {
    state: EntryState
    owner: string
    claim_id: string
    serial: number
    since: string
    rivals: number
    stub: boolean
  } | null
  /** What concerns this daemon's own claim; null for those without a token, and where there is nothing. */
  own: OwnExplanation | null
}

export const EXPLAINED_RULES = [
  'majority',
  'provisional-only',
  'no-majority',
  'pin',
  'two-majorities',
  'nobody-holds-it',
  'older-than-seen',
  'blinded'
] as const satisfies readonly (TallyRule | PinRule | 'older-than-seen' | 'blinded')[]
export type ExplainedRule = (typeof EXPLAINED_RULES)[number]
export const EXPLAINED_STATES = [
  'none',
  'contested',
  'provisional',
  'fresh',
  'settling',
  'settled',
  'grace',
  'dead',
  'registering'
] as const
export type ExplainedState = (typeof EXPLAINED_STATES)[number]

export interface ExplainedAnswer {
  peer: string
  self: boolean
  state: EntryState | 'none'
  claim_id: string | null
  serial: number | null
  /** Null where the peer keeps a stub only and nobody proves its claim. */
  owner: string | null
  /** Whether it counted. */
  vote: boolean
}

export interface OwnExplanation {
  /** As GET /api/names has it. */
  name: OwnedName | null
  claim: { owner: string; claim_id: string; commitment: string; pulse_round: number; renewals: number } | null
  /**
   * Who confirmed by signature to have seen the commitment, and at which round: evidence, should anybody doubt the
   * claim.
   */
  receipts: {
    commitment: string
    pulse_round: number
    receipts: { peer: string; seen_round: number; signature: string }[]
  } | null
  tasks: Pick<TaskView, 'task_id' | 'kind' | 'status' | 'phase' | 'paused' | 'stalled' | 'error'>[]
}

/** A name or identity of ours that this daemon looks for in the network. Times: ISO 8601. */
export interface WantedView {
  /** The name or DID. */
  id: string
  /**
   * `looking`: nobody could be asked yet. `not-found`, `other-owner`: what the last look came to; it is looked for
   * again. `adopted`: this daemon has it.
   */
  state: 'looking' | 'not-found' | 'other-owner' | 'adopted'
  /** In plain words. */
  detail: string
  since: string
  /** The last look since the daemon started. */
  looked_at: string | null
}
