/** Answers of ids near a check code that show records of other claims. */
import { signReveal, type Reveal } from '../../../src/protocol/claim/reveal.ts'
import type { KeyPair } from '../../../src/protocol/crypto/ed25519.ts'
import { showing } from '../people/adversary.ts'
import type { Answerer } from '../world/sim-node.ts'
import type { Owner } from '../people/owner.ts'
import type { World } from '../world/world.ts'

/** The owner's claim with its proof, so that its code fits, under another key. Not Valid. */
export function forged(reveal: Reveal, key: KeyPair, world: World): Reveal {
  return signReveal({ ...reveal }, key, world.hash)
}

/** Shows, by turns, a Valid claim that lacks the code, and a record that has it and is not Valid. */
export function forging(victim: Owner, stolen: Reveal, key: KeyPair, world: World): Answerer {
  const lies = [stolen, forged(victim.reveal!, key, world)].map((each) => showing(each, world.hash, victim.codedKey))
  let turn = 0
  return (request, from) => lies[turn++ % lies.length]!(request, from)
}
