/** What moves on changes of keys share: the keys of who attacks, and what honest holders have. */
import { changesHeld } from '../../../../src/protocol/admission/key-changes.ts'
import type { Reveal } from '../../../../src/protocol/claim/reveal.ts'
import type { KeyPair } from '../../../../src/protocol/crypto/ed25519.ts'
import { compareBytes } from '../../../../src/protocol/encoding/bytes.ts'
import type { Owner } from '../../people/owner.ts'
import { withChange } from '../../../../__test__/protocol/changed-keys.ts'
import type { World } from '../../world/world.ts'

/** What the seller keeps of a name that is sold, or the thief of the change words has of one that is not. */
export interface Keys {
  readonly reveal: Reveal
  readonly key: KeyPair
  readonly changeKey: KeyPair
}

export function keysOf({ reveal, key, changeKey }: Owner): Keys {
  return { reveal: reveal!, key, changeKey: changeKey! }
}

/** A change of those keys to new ones of the attacker's, with both signatures or with the change key's alone. */
export function changeOf(
  { reveal, key, changeKey }: Keys,
  isAlone: boolean,
  world: World
): { key: KeyPair; reveal: Reveal } {
  const [to, next] = [world.newKey(), world.newKey()]
  const change = { to, next, by: changeKey, ...(!isAlone && { consent: key }) }
  return { key: to, reveal: withChange(reveal, change, world.profile) }
}

/** Honest holders whose record is that key's, and those of them for which all its changes are final. */
export function holdersFor(
  victim: Owner,
  pubkey: Uint8Array,
  world: World
): { having: number; final: number; of: number } {
  const holders = world.holdersOf(victim.recordKey)
  const entries = holders.flatMap(({ holder, clock }) => {
    const entry = holder?.entries.load(victim.recordKey)?.entry
    return entry !== undefined && compareBytes(entry.claim.pubkey, pubkey) === 0 ? [{ entry, clock }] : []
  })
  const final = entries.filter(
    ({ entry, clock }) => (changesHeld(entry, world.profile)?.final ?? 0) < clock.time().verified
  )
  return { having: entries.length, final: final.length, of: holders.length }
}
