/**
 * The network profile: every number that nodes must agree on. Its hash is in every domain and protocol name, so nodes
 * with different numbers are in different networks.
 */
import * as v from 'valibot'
import { sha256 } from '../encoding/bytes.ts'
import { ProfileError } from '../errors.ts'
import { faultOf } from '../encoding/issue.ts'
import { canonicalJsonBytes } from '../encoding/jcs.ts'

const integer = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(min), v.maxValue(max))
const rounds = (min = 1) => integer(min, 2 ** 40)
const hex = (bytes: number) =>
  v.pipe(v.string(), v.regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`), `must be ${bytes} bytes in lower-case hex`))
const label = v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a lower-case DNS label'))

/** Bound on `iterations` of any name: the reveal window's 8 x iterations stays below 2^53. */
const MAX_ITERATIONS = 2 ** 48

/**
 * The squarings per second that a public profile's contest must withstand: a chip does 715,000 (docs/protocol/wire.md,
 * 2).
 */
const FASTEST_SQUARINGS_PER_SECOND = 1_000_000

const BeaconSchema = v.strictObject({
  chain_hash: hex(32),
  /** 96 bytes, compressed, on G2. */
  public_key: hex(96),
  scheme: v.literal('bls-unchained-g1-rfc9380'),
  /** Seconds between rounds. */
  period: integer(1, 3600),
  /** Unix time of round 1, in seconds. */
  genesis: integer(0, 2 ** 40)
})

const DifficultySchema = v.strictObject({
  /** Squarings of a name of the cheapest length. */
  base: integer(1, MAX_ITERATIONS),
  /** From this label length (octets) a name costs base x factor. Ascending; shorter labels are not open. */
  by_length: v.pipe(
    v.array(v.strictObject({ from: integer(1, 63), factor: integer(1, 1_000_000) })),
    v.minLength(1),
    v.check(
      (steps) => steps.every((step, index) => index === 0 || step.from > steps[index - 1]!.from),
      'lengths must ascend'
    )
  )
})

const FieldsSchema = v.strictObject({
  version: v.literal(3),
  id: label,
  /**
   * `loopback`: refused on other addresses. `test`: any address, no promise of security. `public`: the contest rule is
   * enforced.
   */
  scope: v.picklist(['loopback', 'test', 'public']),
  tld: label,
  /** The method of DIDs (DID Core: lower-case letters and digits). */
  did_method: v.pipe(v.string(), v.regex(/^[a-z0-9]{1,32}$/, 'must be lower-case letters and digits')),
  reserved: v.pipe(
    v.array(label),
    v.maxLength(1000),
    v.check(
      (labels) => labels.every((item, index) => index === 0 || item > labels[index - 1]!),
      'labels must be sorted and distinct'
    )
  ),
  beacon: BeaconSchema,
  discriminant_bits: v.pipe(integer(256, 1024), v.multipleOf(8)),
  difficulty: DifficultySchema,
  /** A renewal costs a name's squarings divided by this, rounded up. */
  renewal_divisor: integer(1, 1000),
  /** Leading zero bits of a commitment's or document's stamp. */
  stamp_bits: integer(0, 64),
  /** From this many squarings on a proof has two segments. */
  two_segment_from: integer(20),
  /** The second of two segments is floor(T / this) squarings long. */
  split_divisor: integer(2, 1000),
  /** Most links before the newest one in a chain of renewals. */
  chain_max: integer(1, 64),
  /** Rounds from a link's pulse to the end of its lease. */
  lease: rounds(),
  /** Rounds after the lease in which only the same key may renew. */
  grace: rounds(0),
  /** A pulse counts as drawn after its commitment when it is at most this many rounds later. */
  pulse_window: rounds(),
  /** Rounds from a commitment to the pulse its owner draws. */
  min_commit: rounds(),
  /** A receipt counts when its round differs from the owner's by at most this. */
  receipt_slack: rounds(0),
  /** Rounds from the first claim of a tenure in which a better witnessed claim replaces it. */
  contest: rounds(),
  /** Rounds from the first claim of a tenure until it is settled. */
  settle: rounds(),
  /** Rounds without a rival until a provisional claim is settled. */
  provisional_settle: rounds(),
  /** Rounds between an owner's two sightings that make a pin firm; after twice as many the first one expires. */
  pin_after: rounds(),
  /** Rounds that a commitment is kept after it was last sent. */
  commit_keep: rounds(),
  /** Rounds after which a document that no name carries needs a new stamp. */
  document_refresh: rounds(),
  /**
   * While the newest verified pulse is more than this many rounds behind the clock (a day), nothing lapses and no new
   * name is admitted.
   */
  pulse_fresh: rounds(),
  /**
   * How long after its pulse a claim can be witnessed: max(floor, work_factor x iterations / squarings_per_second), at
   * most half the lease.
   */
  reveal_window: v.strictObject({
    floor: rounds(),
    work_factor: integer(1, 32),
    squarings_per_second: integer(1, 1_000_000_000)
  }),
  /** Peers that hold a record. */
  k: integer(1, 100),
  /** Most answers that count from one /24, by IPv6 one /32; 0 is no limit. */
  answers_per_prefix: integer(0, 100),
  /** Most answers that count from one /16, by IPv6 one /24; 0 is no limit. */
  answers_per_wide_prefix: integer(0, 100),
  /** Diverse peers that speak for the neighbourhood: to hand a commitment over, to adopt a claim, to issue receipts. */
  witness_quorum: integer(1, 100),
  /** Diverse answers that a repair needs. */
  repair_quorum: integer(1, 100),
  /** Changes of one name: one per `interval` seconds, `burst` at once. */
  changes: v.strictObject({ interval: integer(0, 86_400), burst: integer(1, 1000) }),
  limits: v.strictObject({
    payload_bytes: integer(256, 65_536),
    zone_records: integer(1, 10_000),
    kid_versions: integer(1, 1000),
    kid_bytes: integer(1024, 110_000),
    manifest_bytes: integer(1024, 110_000),
    capabilities: integer(1, 1000),
    manifest_days: integer(1, 4000)
  })
})

type ProfileFields = v.InferOutput<typeof FieldsSchema>

const ProfileSchema = v.pipe(
  FieldsSchema,
  v.check(
    (profile) => dearestFactor(profile) * profile.difficulty.base <= MAX_ITERATIONS,
    'difficulty: no name may need more than 2^48 squarings'
  ),
  v.check((profile) => profile.contest <= profile.settle, 'settle: must not be shorter than contest'),
  v.check((profile) => profile.min_commit <= profile.pulse_window, 'min_commit: must fit into pulse_window'),
  v.check(
    ({ answers_per_prefix: narrow, answers_per_wide_prefix: wide }) => (narrow > 0 && wide >= narrow) || wide === 0,
    'answers_per_wide_prefix: 0, or no less than answers_per_prefix where that is above 0'
  ),
  v.check(
    ({ answers_per_prefix, k, witness_quorum, repair_quorum }) =>
      answers_per_prefix === 0 || Math.max(witness_quorum, repair_quorum) <= k,
    'k: must not be below witness_quorum or repair_quorum where answers_per_prefix is above 0, ' +
      'since both are fixed there'
  ),
  v.check(
    (profile) => profile.settle < profile.lease && profile.provisional_settle < profile.lease,
    'lease: must be longer than settling takes'
  ),
  v.check((profile) => profile.pin_after < profile.lease, 'pin_after: must be shorter than lease'),
  v.check(
    (profile) =>
      profile.scope !== 'public' ||
      profile.contest * profile.beacon.period * FASTEST_SQUARINGS_PER_SECOND <
        cheapestFactor(profile) * profile.difficulty.base,
    'contest: a VDF started after a reveal must end after the contest of a public network; ' +
      'contest x period must stay below base / 1,000,000 seconds'
  )
)

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

export type NetworkProfile = DeepReadonly<ProfileFields>

/**
 * Members that the file of a profile may have beside these. They say where peers are, which may change while the network
 * stays the same: the hash does not cover them, and `src/config` reads them.
 */
const BESIDE: ReadonlySet<string> = new Set(['bootstrap', 'bootstrap_key'])

/**
 * Reads a profile from parsed JSON. Throws ProfileError that names the field. Refuses unknown fields, since the hash
 * covers all.
 */
export function parseProfile(json: unknown): NetworkProfile {
  const result = v.safeParse(ProfileSchema, withoutBeside(json))
  if (result.success) return deepFreeze(result.output)
  throw new ProfileError(faultOf(result.issues))
}

const hashes = new WeakMap<NetworkProfile, Uint8Array>()

/**
 * SHA-256 of the profile's RFC 8785 bytes, cached by object. The profile must not change afterwards (parsed ones are
 * frozen).
 */
export function profileHash(profile: NetworkProfile): Uint8Array {
  const known = hashes.get(profile)
  if (known !== undefined) return known
  const hash = sha256(canonicalJsonBytes(profile))
  hashes.set(profile, hash)
  return hash
}

function withoutBeside(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(Object.entries(json).filter(([member]) => !BESIDE.has(member)))
}

function cheapestFactor(profile: ProfileFields): number {
  return Math.min(...profile.difficulty.by_length.map((step) => step.factor))
}

function dearestFactor(profile: ProfileFields): number {
  return Math.max(...profile.difficulty.by_length.map((step) => step.factor))
}

function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) deepFreeze(item)
    Object.freeze(value)
  }
  return value as DeepReadonly<T>
}
