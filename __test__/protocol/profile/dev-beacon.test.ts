import { createHash } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { describe, expect, it } from 'vitest'
import { pulseMessage } from '../../../src/protocol/time.ts'
import {
  DEV_BEACON_CHAIN,
  DEV_BEACON_GROUP_HASH,
  DEV_BEACON_ID,
  DEV_BEACON_SECRET_KEY
} from '../../../src/protocol/profile/built-in.ts'
import quicknet from '../../vectors/quicknet-pulses.json' with { type: 'json' }

const QUICKNET_GROUP_HASH = 'f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e'

/** drand's chain.Info.Hash, for beacons that are not the default one. */
function drandChainHash(period: number, genesis: number, publicKey: string, groupHash: string, id: string): string {
  const head = Buffer.alloc(12)
  head.writeUInt32BE(period, 0)
  head.writeBigInt64BE(BigInt(genesis), 4)
  return createHash('sha256').update(head).update(publicKey, 'hex').update(groupHash, 'hex').update(id).digest('hex')
}

describe('the dev beacon', () => {
  it("uses drand's chain hash formula, which gives quicknet's hash", () => {
    expect(
      drandChainHash(quicknet.period, quicknet.genesis_time, quicknet.public_key, QUICKNET_GROUP_HASH, 'quicknet')
    ).toBe(quicknet.chain_hash)
    const { period, genesis, public_key } = DEV_BEACON_CHAIN
    expect(drandChainHash(period, genesis, public_key, DEV_BEACON_GROUP_HASH, DEV_BEACON_ID)).toBe(
      DEV_BEACON_CHAIN.chain_hash
    )
    expect(createHash('sha256').update('chronym development beacon: genesis').digest('hex')).toBe(DEV_BEACON_GROUP_HASH)
  })

  it('derives its keys from the public seed', () => {
    const seed = 'chronym development beacon: this key is public'
    const scalar = BigInt(`0x${createHash('sha256').update(seed).digest('hex')}`) % bls12_381.fields.Fr.ORDER
    expect(scalar.toString(16).padStart(64, '0')).toBe(DEV_BEACON_SECRET_KEY)
    expect(Buffer.from(bls12_381.G2.Point.BASE.multiply(scalar).toBytes(true)).toString('hex')).toBe(
      DEV_BEACON_CHAIN.public_key
    )
  })

  it('signs the message that quicknet signs', () => {
    const { shortSignatures } = bls12_381
    const pulse = quicknet.pulses[1]!
    const message = shortSignatures.hash(pulseMessage(pulse.round), 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_')
    expect(
      shortSignatures.verify(Buffer.from(pulse.signature, 'hex'), message, Buffer.from(quicknet.public_key, 'hex'))
    ).toBe(true)
  })
})
