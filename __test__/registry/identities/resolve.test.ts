import { beforeEach, describe, expect, it } from 'vitest'
import { encodeMultikey } from '../../../src/protocol/identity/did.ts'
import {
  buildGenesis,
  buildNextVersion,
  signIdentityDocument,
  type IdentityDocument
} from '../../../src/protocol/identity/document.ts'
import { judgeIdentity } from '../../../src/protocol/identity/judge-documents.ts'
import { verifyIdentityLog } from '../../../src/protocol/identity/log.ts'
import { encodeIdentityRecord } from '../../../src/protocol/identity/record.ts'
import { currentIdentity } from '../../../src/registry/identities/resolve.ts'
import { keyOf, LOCAL, timeAt } from '../../protocol/fixtures.ts'
import { MemoryStore } from '../claims/fakes.ts'

const CREATED = '2026-01-01T00:00:00Z'
const [FORMER, CURRENT, THIEF] = [keyOf('former'), keyOf('current'), keyOf('thief')]
const GENESIS = signIdentityDocument(
  buildGenesis({ keys: [FORMER.publicKey], updateKeys: [FORMER.publicKey] }, LOCAL),
  FORMER,
  CREATED,
  LOCAL
)
const next = (former: IdentityDocument, key: ReturnType<typeof keyOf>, to: ReturnType<typeof keyOf>) =>
  signIdentityDocument(buildNextVersion(former, { updateKeys: [encodeMultikey(to.publicKey)] }), key, CREATED, LOCAL)
const OURS = [GENESIS, next(GENESIS, FORMER, CURRENT)]
const NEWER = [...OURS, next(OURS[1]!, CURRENT, CURRENT)]
/** By the key that was taken out. */
const THEIRS = [GENESIS, next(GENESIS, FORMER, THIEF)]

let store = new MemoryStore()
beforeEach(() => {
  store = new MemoryStore()
})

/** The update key of each version of the winning log. `shown`: how many peers show each log. */
async function standing(...shown: readonly (readonly [IdentityDocument[], number])[]): Promise<unknown> {
  const records = shown.map(([documents]) => encodeIdentityRecord({ log: verifyIdentityLog(documents, LOCAL) }))
  const pool = { judgeIdentity: (bytes: Uint8Array) => Promise.resolve(judgeIdentity(bytes, LOCAL)) }
  const found = { records, shownBy: shown.map(([, by]) => by), isAnswered: true }
  const known = await currentIdentity({ store, profile: LOCAL, pool, time: () => timeAt(1_000) }, GENESIS.id, found)
  return known?.versions.map((bytes) => (JSON.parse(Buffer.from(bytes).toString()) as IdentityDocument).updateKeys[0])
}
const keysOf = (documents: readonly IdentityDocument[]) => documents.map(({ updateKeys }) => updateKeys[0])

describe('the standing log of an identity', () => {
  it('is none where nobody shows one', async () => {
    expect(await standing()).toBeUndefined()
  })

  it('is the branch that most show, for those who have seen none', async () => {
    expect(await standing([OURS, 9], [THEIRS, 11])).toEqual(keysOf(THEIRS))
  })

  it('is the branch that was seen before, however many show another, while one shows it', async () => {
    await standing([OURS, 20])
    expect(await standing([OURS, 1], [THEIRS, 19])).toEqual(keysOf(OURS))
    expect(await standing([NEWER, 1], [THEIRS, 19])).toEqual(keysOf(NEWER))
  })

  it('is refused where all that is shown is older or another branch', async () => {
    await standing([OURS, 20])
    for (const shown of [[THEIRS], [[GENESIS]], [[GENESIS], THEIRS]])
      await expect(standing(...shown.map((documents) => [documents, 10] as const))).rejects.toMatchObject({
        code: 'SVC-RES-004'
      })
  })
})
