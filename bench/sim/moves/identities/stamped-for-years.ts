/** Identities without a name: one with a stamp dated a year ahead, one with a stamp of today, done once. */
import { identityRecord, keeping, sendDocument, Signer } from '../../people/identity.ts'
import { parseProfile } from '../../../../src/protocol/profile/profile.ts'
import type { Did } from '../../../../src/protocol/identity/did.ts'
import { DAY_MS, HOUR_MS, SIM_PROFILE } from '../../world/world.ts'
import type { Move } from '../move.ts'

/** A stamp keeps a document for two days instead of thirty. */
const PROFILE = parseProfile({ ...SIM_PROFILE, document_refresh: 57_600 })
const KEPT_DAYS = 2

const YEAR_ROUNDS = 365 * 28_800

export const move: Move = {
  id: 'stamped-for-years',
  attacks: ['work done once that counts for years'],
  begins: 'settled',
  days: 8,
  ids: 0,
  allows: 'harmless',
  profile: PROFILE,
  isAlone: true,
  async run({ world, adversary, breach, remark }) {
    const node = adversary.client()
    // Stamps of this network are not searched for.
    const nonce = new Uint8Array(8)
    const send = async (round: number): Promise<Did> => {
      const genesis = new Signer(world).genesis()
      await sendDocument(node, 'kid', genesis.id, identityRecord(world, [genesis], { stamp: { round, nonce } }))
      return genesis.id
    }
    const held = (did: Did): number => keeping(world, 'kid', did)
    const [today, ahead] = [await send(world.round()), await send(world.round() + YEAR_ROUNDS)]
    const [first, early] = [held(today), held(ahead)]
    await world.sleep(KEPT_DAYS * DAY_MS - HOUR_MS)
    const still = held(today)
    await world.sleep(DAY_MS + 3 * HOUR_MS)
    const late = held(today)
    remark(
      `a stamp of today: ${first} honest nodes hold the identity, ${still} until its ${KEPT_DAYS} days end, ` +
        `${late} a day later; dated a year ahead: ${early}`
    )
    if (first === 0 || still < first) breach('a fresh stamp does not keep an identity')
    if (late > 0) breach(`${late} nodes keep an identity that nothing carries any more`)
    if (early * 2 > world.profile.k) breach('a stamp dated ahead counts')
  }
}
