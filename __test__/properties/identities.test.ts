/** Invariant P6 of docs/protocol/rules.md, 18, on the logs of identities. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes, toHex } from '../../src/protocol/encoding/bytes.ts'
import { encodeMultikey } from '../../src/protocol/identity/did.ts'
import type { KeyPair } from '../../src/protocol/crypto/ed25519.ts'
import {
  buildGenesis,
  buildNextVersion,
  identityDocumentHash,
  signIdentityDocument,
  type IdentityChanges,
  type IdentityDocument
} from '../../src/protocol/identity/document.ts'
import { mergeIdentityLogs, verifyIdentityLog, type IdentityLog } from '../../src/protocol/identity/log.ts'
import { keyOf, LOCAL } from '../protocol/fixtures.ts'
import { CASES, randomFrom, SEED } from './cases.ts'

const TREES = 30
const KEYS: readonly KeyPair[] = ['update 1', 'update 2', 'recovery 1', 'recovery 2', 'thief'].map(keyOf)

/**
 * Versions of one identity that branch at random: by update keys, recovery keys, keys that were taken out, and keys
 * that never were in.
 */
function growTree(random: () => number): readonly IdentityDocument[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const sign = (document: ReturnType<typeof buildNextVersion>, key: KeyPair): IdentityDocument =>
    signIdentityDocument(document, key, '2026-01-01T00:00:00Z', LOCAL)
  const [update, , recovery] = KEYS as [KeyPair, KeyPair, KeyPair]
  const documents = [
    sign(
      buildGenesis(
        { keys: [update.publicKey], updateKeys: [update.publicKey], recoveryKeys: [recovery.publicKey] },
        LOCAL
      ),
      update
    )
  ]
  for (let size = 3 + Math.floor(random() * 4); documents.length < size;) {
    const changes: IdentityChanges[] = [
      { alsoKnownAs: [`https://${documents.length}.example`] },
      { updateKeys: [encodeMultikey(pick(KEYS).publicKey)] },
      { recoveryKeys: [encodeMultikey(pick(KEYS).publicKey)] },
      { deactivated: true }
    ]
    // Mostly at an end, so that branches grow, and mostly by a key that may.
    const parent = random() < 0.6 ? documents.at(-1)! : pick(documents)
    const listed = KEYS.filter(({ publicKey }) =>
      [...parent.updateKeys, ...(parent.recoveryKeys ?? [])].includes(encodeMultikey(publicKey))
    )
    documents.push(
      sign(
        buildNextVersion(parent, random() < 0.6 ? changes[0]! : pick(changes)),
        random() < 0.85 && listed.length > 0 ? pick(listed) : pick(KEYS)
      )
    )
  }
  return documents
}

/** Every number below `length`, in any order: a failure shows numbers, not documents. */
function permutation(length: number): fc.Arbitrary<number[]> {
  return fc.shuffledSubarray(
    Array.from({ length }, (_, index) => index),
    { minLength: length }
  )
}

/** Every chain of a tree that verifies, by its last version. */
function chainsOf(documents: readonly IdentityDocument[]): IdentityLog[] {
  const byHash = new Map(documents.map((document) => [toHex(identityDocumentHash(document)), document]))
  return documents.flatMap((document) => {
    const chain = [document]
    while (chain[0]!.prev !== undefined) chain.unshift(byHash.get(chain[0]!.prev)!)
    try {
      return [verifyIdentityLog(chain, LOCAL)]
    } catch {
      return []
    }
  })
}

describe('the log of an identity', () => {
  const random = randomFrom(SEED)

  it('P6: logs merged in any order leave the same branch once a recovery key has signed', () => {
    const decided: IdentityLog[][] = []
    while (decided.length < TREES) {
      const logs = chainsOf(growTree(random))
      if (logs.length > 2 && logs.filter(({ versions }) => versions.at(-1)!.signer === 'recovery').length === 1)
        decided.push(logs)
    }
    const orders = fc.nat(TREES - 1).chain((tree) => fc.tuple(fc.constant(tree), permutation(decided[tree]!.length)))
    fc.assert(
      fc.property(orders, ([tree, order]) => {
        const logs = decided[tree]!
        const standing = order
          .map((index) => logs[index]!)
          .reduce((log, incoming) => mergeIdentityLogs(log, incoming).log)
        const recovered = logs.find(({ versions }) => versions.at(-1)!.signer === 'recovery')!.versions
        const inPlace = standing.versions[recovered.length - 1]
        expect(inPlace !== undefined && compareBytes(inPlace.hash, recovered.at(-1)!.hash) === 0).toBe(true)
      }),
      CASES
    )
  })
})
