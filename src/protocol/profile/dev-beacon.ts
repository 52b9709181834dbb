/**
 * The development beacon of the networks `local` and `test`. `__test__/protocol/profile/dev-beacon.test.ts` derives
 * every value again.
 * The secret is public on purpose: anyone can compute any pulse, so these networks promise no security.
 */

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
