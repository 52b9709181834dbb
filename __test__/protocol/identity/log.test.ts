import { describe, expect, it } from 'vitest'
import { withoutMember } from '../../../src/protocol/identity/data-integrity.ts'
import { encodeMultikey } from '../../../src/protocol/identity/did.ts'
import type { IdentityDocument, UnsignedIdentityDocument } from '../../../src/protocol/identity/document.ts'
import { buildNextVersion, signIdentityDocument } from '../../../src/protocol/identity/document.ts'
import { mergeIdentityLogs, verifyIdentityLog } from '../../../src/protocol/identity/log.ts'
import { keyOf, LOCAL } from '../fixtures.ts'
import { chain, CREATED, GENESIS, log, next, RECOVERY, THIEF, UPDATE } from './scene.ts'

describe('the log of an identity', () => {
  it('grows by versions that an update key signs', () => {
    const second = next(GENESIS, { updateKeys: [encodeMultikey(THIEF.publicKey)] })
    expect(log([GENESIS, second, next(second, {}, THIEF)]).versions.map(({ signer }) => signer)).toEqual([
      'update',
      'update',
      'update'
    ])
    expect(() => log([GENESIS, second, next(second, {}, UPDATE)])).toThrow(/no update or recovery key/)
  })

  it.each<[string, () => IdentityDocument[], RegExp]>([
    ['no genesis', () => [next(GENESIS)], /begins with version 1/],
    ['nothing', () => [], /at least one/],
    ['a gap', () => [GENESIS, chain(UPDATE, UPDATE)[2]!], /cannot follow/],
    [
      'a wrong prev',
      () => [
        GENESIS,
        signIdentityDocument({ ...buildNextVersion(GENESIS, {}), prev: 'ab'.repeat(32) }, UPDATE, CREATED, LOCAL)
      ],
      /prev/
    ],
    [
      'a genesis under another DID',
      () => [
        signIdentityDocument(
          { ...GENESIS, id: chain(UPDATE)[1]!.id.replace(/.$/, 'x') as IdentityDocument['id'] },
          UPDATE,
          CREATED,
          LOCAL
        )
      ],
      /not the DID/
    ],
    [
      'a genesis signed by another key',
      () => [signIdentityDocument(GENESIS, THIEF, CREATED, LOCAL)],
      /its own update keys/
    ],
    ['a version signed by another key', () => [GENESIS, next(GENESIS, {}, THIEF)], /no update or recovery key/],
    [
      'a proof that names the right key and is not its',
      () => [
        GENESIS,
        {
          ...next(GENESIS, {}, THIEF),
          proof: { ...next(GENESIS).proof, proofValue: next(GENESIS, {}, THIEF).proof.proofValue }
        }
      ],
      /no update or recovery key/
    ],
    [
      'recovery keys changed by an update key',
      () => [GENESIS, next(GENESIS, { recoveryKeys: [encodeMultikey(THIEF.publicKey)] })],
      /only a recovery key/
    ],
    [
      'an update after a deactivation',
      () => [GENESIS, next(GENESIS, { deactivated: true }), next(next(GENESIS, { deactivated: true }))],
      /only a recovery key/
    ]
  ])('is refused with %s', (_, documents, message) => expect(() => log(documents())).toThrow(message))

  it('lets a recovery key change the recovery keys and undo a deactivation', () => {
    const dead = next(GENESIS, { deactivated: true })
    const alive = withoutMember(
      buildNextVersion(dead, { recoveryKeys: [encodeMultikey(keyOf('recovery 2').publicKey)] }),
      'deactivated'
    ) as unknown as UnsignedIdentityDocument
    expect(log([GENESIS, dead, signIdentityDocument(alive, RECOVERY, CREATED, LOCAL)]).versions.at(-1)).toMatchObject({
      signer: 'recovery'
    })
  })

  it('has at most 64 versions and 100 KiB', () => {
    const profile = { ...LOCAL, limits: { ...LOCAL.limits, kid_versions: 2, kid_bytes: 4000 } }
    expect(() => verifyIdentityLog(chain(UPDATE, UPDATE), profile)).toThrow(/at most 2 versions/)
    const long = next(GENESIS, { alsoKnownAs: [`https://${'x'.repeat(1500)}.example`] })
    expect(() => verifyIdentityLog([GENESIS, long], profile)).toThrow(/at most 4000 bytes/)
  })
})

describe('two logs of one identity', () => {
  const main = chain(UPDATE, UPDATE)
  const standing = log(main)

  it('are extended, or stale', () => {
    expect(mergeIdentityLogs(log(main.slice(0, 2)), standing)).toEqual({ kind: 'extend', log: standing })
    expect(mergeIdentityLogs(standing, log(main.slice(0, 2)))).toEqual({ kind: 'stale', log: standing })
    expect(mergeIdentityLogs(standing, standing)).toEqual({ kind: 'stale', log: standing })
  })

  it('keep the first seen when keys of equal rank signed both, and show it', () => {
    const other = log([GENESIS, next(GENESIS, { alsoKnownAs: ['https://other.example'] })])
    expect(mergeIdentityLogs(standing, other)).toMatchObject({
      kind: 'stale',
      log: standing,
      equivocation: { version: 2 }
    })
    expect(mergeIdentityLogs(other, standing)).toMatchObject({
      kind: 'stale',
      log: other,
      equivocation: { version: 2 }
    })
  })

  it('[a stolen update key] give way to the branch whose first version a recovery key signed, at any time, however long the other', () => {
    const recovered = log([GENESIS, next(GENESIS, { updateKeys: [encodeMultikey(keyOf('new').publicKey)] }, RECOVERY)])
    expect(mergeIdentityLogs(standing, recovered)).toEqual({ kind: 'recover', log: recovered })
    expect(mergeIdentityLogs(recovered, standing)).toEqual({ kind: 'stale', log: recovered })
  })

  it("[a recovery on top of another branch] reaches those too who were shown the thief's", () => {
    const own = next(GENESIS, { alsoKnownAs: ['https://own.example'] })
    const taken = next(GENESIS, { updateKeys: [encodeMultikey(THIEF.publicKey)] })
    const thiefs = log([GENESIS, taken])
    const recovered = log([GENESIS, own, next(own, { updateKeys: [encodeMultikey(keyOf('new').publicKey)] }, RECOVERY)])
    for (const held of [thiefs, log([GENESIS, own]), log([GENESIS])])
      expect(mergeIdentityLogs(held, recovered).log).toBe(recovered)
    expect(mergeIdentityLogs(recovered, thiefs)).toEqual({ kind: 'stale', log: recovered })
    // The thief cannot do as much: an update key neither signs as a recovery key nor makes one.
    const made = next(taken, { recoveryKeys: [encodeMultikey(THIEF.publicKey)] }, THIEF)
    expect(() => log([GENESIS, taken, made])).toThrow(/only a recovery key/)
  })

  it('[a recovery key that was taken out] recovers neither of them where its successor has signed', () => {
    const rotated = log([
      ...main,
      next(main[2]!, { recoveryKeys: [encodeMultikey(keyOf('recovery 2').publicKey)] }, RECOVERY)
    ])
    const old = log([GENESIS, next(GENESIS, { alsoKnownAs: ['https://stolen.example'] }, RECOVERY)])
    expect(mergeIdentityLogs(rotated, old)).toMatchObject({ kind: 'stale', log: rotated, equivocation: { version: 2 } })
    const documents = rotated.versions.map(({ document }) => document)
    expect(() => log([...documents, next(documents.at(-1)!, {}, RECOVERY)])).toThrow(/no update or recovery key/)
  })

  it('[a genesis signed again by a key that was taken out] does not replace the held log', () => {
    const held = log([GENESIS, next(GENESIS, { updateKeys: [encodeMultikey(keyOf('new').publicKey)] })])
    const again = signIdentityDocument(GENESIS, UPDATE, '2026-02-02T00:00:00Z', LOCAL)
    const other = log([again, next(again, { updateKeys: [encodeMultikey(THIEF.publicKey)] })])
    expect(other.did).toBe(held.did)
    expect(mergeIdentityLogs(held, other)).toMatchObject({ kind: 'stale', log: held, equivocation: { version: 1 } })
  })
})
