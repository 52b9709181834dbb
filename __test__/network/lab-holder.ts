/** A holder in a lab's time, without a network around it. */
import { createBudget } from '../../src/network/budget/budget.ts'
import { createRoundClock } from '../../src/time/clock.ts'
import { Holder, type HolderParts } from '../../src/network/holder/holder.ts'
import { createVerifier } from '../../src/network/holder/verifier.ts'
import { keyPairFromSeed } from '../../src/protocol/crypto/ed25519.ts'
import type { Store } from '../../src/store/types.ts'
import type { Lab } from './lab.ts'

/** Knows no peers and no identities of others, and has the budgets of its profile, unless the parts say otherwise. */
export function labHolder(lab: Lab, store: Store, parts: Partial<HolderParts> = {}): Holder {
  return new Holder({
    profile: lab.profile,
    store,
    clock: createRoundClock(lab.beacon, lab.profile, store, lab.nowMs),
    verifier: createVerifier(lab.profile, lab.beacon, lab.pool),
    judge: lab.pool,
    budget: createBudget(lab.profile.answers_per_prefix > 0),
    nodeKey: keyPairFromSeed(new Uint8Array(32)),
    peers: () => undefined,
    fetchIdentities: () => Promise.resolve({ records: [], shownBy: [], isAnswered: true }),
    onStored: () => undefined,
    ...parts
  })
}
