/** A thief of the change words, and liars who date a change. */
import { toHex } from '../../../../src/protocol/encoding/bytes.ts'
import { showing } from '../../people/adversary.ts'
import { CodeResolver, Resolver } from '../../people/resolver.ts'
import { DAY_MS, HOUR_MS, SIM_PROFILE } from '../../world/world.ts'
import type { Move } from '../move.ts'
import { changeOf, holdersFor, keysOf } from './changes.ts'

interface TheftParts {
  readonly id: string
  readonly attacks: readonly string[]
  readonly ids?: number
  /** When the owner changes the keys with both signatures, as a part of the time to the end; undefined: never. */
  readonly ownerAfter?: number
  /** Where ids among the holders say since when the thief's change is final. */
  readonly saidFinal?: number
}

/** Of the time to the end a node stays for that part: a week of 60 days. */
const LIFE = 7 / 60

/**
 * Somebody has a name's change words and not its signing key. A change by the owner, who has both, takes the name back
 * while the thief's is not final. Without it that becomes final, though nodes come and go.
 */
function stolenWords(parts: TheftParts): Move {
  const { id, attacks, ids = 0, ownerAfter, saidFinal } = parts
  const daysToFinal = (2 * SIM_PROFILE.grace * SIM_PROFILE.beacon.period * 1000) / DAY_MS
  const days = 4 + Math.ceil(daysToFinal * (ownerAfter ?? 1)) + 3
  return {
    id,
    attacks,
    begins: 'settled',
    days,
    ids,
    // A change that nobody opposes for all that time is what the words are for.
    allows: ownerAfter === undefined ? 'taken' : 'harmless',
    excuses: ownerAfter === undefined ? ['P14', 'P20'] : [],
    lifeDays: daysToFinal * LIFE,
    isAlone: true,
    hasChangeKey: true,
    async run({ world, adversary, victim, ids: liars, thief, breach, remark }) {
      const beganMs = world.timeline.nowMs
      const keys = keysOf(victim)
      const { key, reveal } = changeOf(keys, true, world)
      thief(key.publicKey)
      if (saidFinal !== undefined)
        adversary.joinNear(victim.recordKey, liars, showing(reveal, world.hash, undefined, saidFinal))
      const sender = adversary.client()
      await adversary.publish(reveal, sender)
      const taken = { to: world.newKey(), next: world.newKey(), by: keys.changeKey, consent: keys.key }
      let finalDay: number | undefined
      let early = 0
      const showsThief = async (): Promise<boolean> => {
        const [named, coded] = [new Resolver(world), new CodeResolver(world)]
        const byName = await named.resolve(victim.name)
        const byCode = await coded.resolve(victim.name, victim.code!.slice(0, 6))
        for (const { node } of [named, coded]) world.remove(node)
        return [byName, byCode].some(({ owner }) => owner === toHex(key.publicKey))
      }
      let isOpposed = ownerAfter === undefined
      const endMs = beganMs + (days - 4) * DAY_MS - HOUR_MS
      while (world.timeline.nowMs < endMs) {
        await world.sleep(Math.min(LOOK_MS, endMs - world.timeline.nowMs))
        const day = (world.timeline.nowMs - beganMs) / DAY_MS
        const { final } = holdersFor(victim, key.publicKey, world)
        if (final * 2 > world.profile.k) finalDay ??= day
        // The thief publishes again, as owners do.
        void adversary.publish(reveal, sender)
        if (finalDay === undefined && (await showsThief())) early++
        if (isOpposed || day < daysToFinal * ownerAfter!) continue
        isOpposed = true
        void victim.changeKeys(taken)
      }
      const resolver = new Resolver(world)
      const { kind, owner, isFinal } = await resolver.resolve(victim.name)
      const names = { [toHex(key.publicKey)]: 'the thief', [victim.pubkey]: 'the owner' }
      const who = kind === 'owner' ? (names[owner!] ?? 'another') : kind
      const [thiefs, owners] = [key, victim.key].map(({ publicKey }) => holdersFor(victim, publicKey, world).having)
      const when = finalDay === undefined ? 'never' : `after ${finalDay.toFixed(1)} days`
      remark(
        `the thief's change is final at most holders ${when}; at the end a resolver sees ${who}` +
          `${isFinal === true ? '' : ', pending'}; ${thiefs} honest holders have the thief's change, ${owners} the owner's`
      )
      if (early > 0) breach(`${early} looks by name and code show the thief before the change is final`)
      const isInTime = finalDay !== undefined && finalDay >= daysToFinal && finalDay <= daysToFinal + 1
      if (ownerAfter === undefined && !isInTime) breach(`a change that nobody opposes is final ${when}`)
      if (ownerAfter !== undefined && (who !== 'the owner' || finalDay !== undefined))
        breach(`the thief's change is final ${when}, and ${who} is shown`)
    }
  }
}

const LOOK_MS = 6 * HOUR_MS

export const theftMoves: readonly Move[] = [
  stolenWords({ id: 'words-stolen-for-a-day', attacks: ['a thief of the change words'], ownerAfter: 1 / 60 }),
  stolenWords({ id: 'words-stolen-for-59-days', attacks: ['a thief of the change words'], ownerAfter: 59 / 60 }),
  stolenWords({ id: 'words-stolen-unopposed', attacks: ['a change that grows no older'] }),
  stolenWords({
    id: 'change-dated-back',
    attacks: ['liars who date a change', 'a thief of the change words'],
    ids: 5,
    saidFinal: 0,
    ownerAfter: 50 / 60
  }),
  stolenWords({
    id: 'change-dated-ahead',
    attacks: ['liars who date a change', 'a change that grows no older'],
    ids: 5,
    saidFinal: Number.MAX_SAFE_INTEGER
  })
]
