/**
 * The built-in networks, which need no profile file. docs/protocol/wire.md, 2 gives the reasons for most numbers; the
 * rest have comments here.
 */
import { type NetworkProfile, parseProfile } from './profile.ts'

/**
 * The secret scalar, 32 bytes in hex, big-endian: SHA-256 of `chronym development beacon: this key is public`, modulo
 * the order of BLS12-381's scalar field.
 */
export const DEV_BEACON_SECRET_KEY = '63fcb15bdc14ceb3efb4dd0b643115ae3997c82a61984304a03c6097e2eabb46'

/** drand's beacon id, which its chain hash covers. */
export const DEV_BEACON_ID = 'chronym-dev'

/** drand's group hash ("genesis seed"), 32 bytes in hex: SHA-256 of `chronym development beacon: genesis`. */
export const DEV_BEACON_GROUP_HASH = 'beb8f303facf75b845f3cc7509d1bee3144da89f231e4cd6f11902e8e1865203'

/**
 * What profiles pin. `public_key` is the secret times G2's generator, compressed; `chain_hash` follows drand's formula:
 * SHA-256(period as u32 ‖ genesis as i64 ‖ public key ‖ group hash ‖ beacon id), integers big-endian.
 */
export const DEV_BEACON_CHAIN = {
  chain_hash: '0e7ce87dce0243892bec88495e7d4f8e82dfa43f2e49f382b71c8bd0b4b76ef3',
  public_key:
    '883934ad8e68b6180a460e02bb85dde75a9e6efabb2fa303fcef2d4289619b62aa4e39ac457d9cdc2d5e8e7aa139da3f' +
    '060631913c11994d02b4e190ea5a72205bc062c3d77ba06fd6f1634f4f7939fbc70a9db4876bd1c7e9261eb3f13c0d3c',
  scheme: 'bls-unchained-g1-rfc9380',
  period: 1,
  genesis: 1_767_225_600
} as const

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Special-use names (RFC 6761, RFC 7686, RFC 9476), names that software looks up by itself, and our own. */
const RESERVED = [
  'alt',
  'arpa',
  'chronym',
  'example',
  'home',
  'internal',
  'invalid',
  'isatap',
  'lan',
  'local',
  'localhost',
  'onion',
  'root',
  'test',
  'wpad',
  'www'
]

const LIMITS = {
  payload_bytes: 16_384,
  zone_records: 256,
  kid_versions: 64,
  kid_bytes: 102_400,
  // Fifty capabilities with more than 1 KB each; fits into one message.
  manifest_bytes: 65_536,
  capabilities: 50,
  manifest_days: 400
}

const COMMON = {
  version: 3,
  tld: 'chronym',
  did_method: 'chronym',
  reserved: RESERVED,
  discriminant_bits: 1024,
  renewal_divisor: 4,
  split_divisor: 10,
  chain_max: 64,
  receipt_slack: 2,
  k: 20,
  witness_quorum: 5,
  repair_quorum: 8,
  changes: { interval: 30, burst: 5 },
  limits: LIMITS
} as const

/** The dev beacon's rounds are seconds. */
const DEVELOPMENT = {
  ...COMMON,
  beacon: DEV_BEACON_CHAIN,
  difficulty: { base: 1_000_000, by_length: [{ from: 1, factor: 1 }] },
  stamp_bits: 12,
  two_segment_from: 2 ** 22,
  pulse_window: 60,
  min_commit: 2,
  contest: 5,
  settle: 30,
  provisional_settle: 120
} as const

export const local: NetworkProfile = {
  ...DEVELOPMENT,
  id: 'local',
  scope: 'loopback',
  lease: 7 * DAY,
  grace: DAY,
  pin_after: 10 * MINUTE,
  commit_keep: DAY,
  document_refresh: 7 * DAY,
  pulse_fresh: DAY,
  reveal_window: { floor: 14 * DAY, work_factor: 8, squarings_per_second: 333_000 },
  answers_per_prefix: 0,
  answers_per_wide_prefix: 0
}

/**
 * Leases short enough that tests see them end. For a few machines, which often share a prefix, so it needs no diverse
 * peers and promises no security.
 */
export const test: NetworkProfile = {
  ...DEVELOPMENT,
  id: 'test',
  scope: 'test',
  lease: 15 * MINUTE,
  grace: 5 * MINUTE,
  pin_after: 2 * MINUTE,
  commit_keep: 10 * MINUTE,
  document_refresh: 15 * MINUTE,
  pulse_fresh: 2 * MINUTE,
  reveal_window: { floor: 5 * MINUTE, work_factor: 8, squarings_per_second: 333_000 },
  answers_per_prefix: 0,
  answers_per_wide_prefix: 0
}

const PER_ROUND = 3

export const main: NetworkProfile = {
  ...COMMON,
  id: 'main',
  scope: 'public',
  beacon: {
    chain_hash: '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971',
    public_key:
      '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451' +
      '0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a',
    scheme: 'bls-unchained-g1-rfc9380',
    period: PER_ROUND,
    genesis: 1_692_803_367
  },
  difficulty: {
    base: 600_000_000,
    by_length: [
      { from: 3, factor: 960 },
      { from: 4, factor: 480 },
      { from: 5, factor: 48 },
      { from: 6, factor: 24 },
      { from: 7, factor: 8 },
      { from: 8, factor: 4 },
      { from: 12, factor: 1 }
    ]
  },
  stamp_bits: 22,
  two_segment_from: 2 ** 32,
  lease: (365 * DAY) / PER_ROUND,
  grace: (30 * DAY) / PER_ROUND,
  pulse_window: 400,
  min_commit: 20,
  contest: 30,
  settle: DAY / PER_ROUND,
  provisional_settle: (7 * DAY) / PER_ROUND,
  pin_after: DAY / PER_ROUND,
  commit_keep: (14 * DAY) / PER_ROUND,
  document_refresh: (30 * DAY) / PER_ROUND,
  pulse_fresh: DAY / PER_ROUND,
  reveal_window: { floor: (14 * DAY) / PER_ROUND, work_factor: 8, squarings_per_second: 333_000 },
  answers_per_prefix: 2,
  answers_per_wide_prefix: 4
}

export type BuiltInProfileId = 'local' | 'test' | 'main'

export const builtInProfiles: Readonly<Record<BuiltInProfileId, NetworkProfile>> = {
  local: parseProfile(local),
  test: parseProfile(test),
  main: parseProfile(main)
}

/**
 * Whether a machine may take a zone for that of these networks: it is theirs, or its user named it. Others rely on any
 * other domain, and a profile may come from a stranger.
 */
export function mayTakeZone(tld: string, named: string | undefined): boolean {
  const own = named?.replace(/\.$/u, '').toLowerCase()
  return own === tld || (own === undefined && Object.values(builtInProfiles).some((profile) => profile.tld === tld))
}
