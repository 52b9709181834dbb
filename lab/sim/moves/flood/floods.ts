/** Moves by numbers: commitments, forged records and names. */
import { commit } from '../../../../src/network/client/blinded.ts'
import { HOUR_MS } from '../../world/world.ts'
import type { Move } from '../move.ts'
import { encodeReveal } from '../../../../src/protocol/claim/reveal.ts'
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { answerOrUndefined } from '../../../../src/network/wire/exchange.ts'
import { empty, showing } from '../../people/adversary.ts'
import { forged } from '../names/settled.ts'

/** A second of a core for each stamp of `stamp_bits` on network `main`. */
const STAMP_MS = 1_000

/** Commitments of one prefix, as fast as its stamps and the holders' budgets allow, to those that should see the owner's. */
const floodOfCommitments: Move = {
  id: 'flood-of-commitments',
  attacks: ['a flood of commitments', 'commitments that hide others'],
  begins: 'start',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, victim }) {
    const { client } = adversary.client()
    const random = world.random('flood')
    const end = world.timeline.nowMs + HOUR_MS / 6
    while (world.timeline.nowMs < end) {
      world.ledger.work(true, STAMP_MS)
      await commit(client, victim.name, random.bytes(32), new Uint8Array(8))
    }
  }
}

/**
 * Forged records are sent each hour to all that should hold a name by its check code, while these come and go. Ids there
 * keep nothing, and those around the name show another owner.
 */
const filledCode: Move = {
  id: 'filled-code',
  attacks: [],
  begins: 'settled',
  days: 5,
  ids: 11,
  // The bare name: as newcomers-among-liars.
  allows: 'taken',
  isAlone: true,
  lifeDays: 3,
  excuses: ['P14'],
  async run({ world, adversary, victim, ids, thief, breach, remark }) {
    const { key, reveal: stolen } = adversary.steal(victim.name, thief, 'renewed')
    adversary.joinNearBoth(victim, ids, showing(stolen, world.hash), empty)
    const client = adversary.client()
    const put = { type: 'put', kind: 'coded', record: encodeReveal(forged(victim.reveal!, key, world)) } as const
    for (let [sent, taken] = [0, 0]; ;) {
      for (const { peer } of world.holdersOf(victim.codedKey)) {
        const answer = await answerOrUndefined(client.view.ask(peer, put))
        sent++
        if (answer?.type === 'stored') taken++
      }
      const held = world.holdersOf(victim.codedKey).map(({ holder }) => holder?.coded.entries.load(victim.codedKey))
      const owners = held.flatMap((each) => (each === undefined ? [] : [toHex(each.entry.claim.pubkey)]))
      const own = owners.filter((owner) => owner === victim.pubkey).length
      remark(
        `${own} of ${held.length} honest holders have the owner's record by its code; of ${sent} forged ones ${taken} were taken`
      )
      if (own < owners.length) breach('a holder keeps a record of somebody else by the code')
      await world.sleep(HOUR_MS)
    }
  }
}

/** Fifty: what a thousand cost is twenty times as much, since names share nothing. */
const NAMES = 50

/** One chip registers fifty long names, one after the other, and keeps them. */
const squatterOfManyNames: Move = {
  id: 'squatter-of-many-names',
  attacks: [],
  begins: 'start',
  ids: 0,
  allows: 'harmless',
  async run({ world, adversary, remark }) {
    const beganMs = world.timeline.nowMs
    for (let number = 0; number < NAMES; number++) {
      const owner = adversary.owner(`a-name-to-squat-on-${number}.chronym`)
      await owner.work(await owner.committed())
      void owner.keep()
      const hours = (world.timeline.nowMs - beganMs) / HOUR_MS
      const { bytes } = world.ledger.attacker
      remark(`${number + 1} names after ${hours.toFixed(1)} h, ${(bytes / 1e6).toFixed(2)} MB sent`)
    }
  }
}

export const floodMoves: readonly Move[] = [floodOfCommitments, filledCode, squatterOfManyNames]
