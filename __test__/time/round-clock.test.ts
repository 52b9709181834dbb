/** Registry and holder of a daemon judge leases by the same rounds. */
import { expect, it } from 'vitest'
import { createBudget } from '../../src/network/budget/budget.ts'
import { Holder } from '../../src/network/holder/holder.ts'
import { createVerifier } from '../../src/network/holder/verifier.ts'
import { keyPairFromSeed } from '../../src/protocol/crypto/ed25519.ts'
import { encodeReveal } from '../../src/protocol/claim/reveal.ts'
import { StoreError } from '../../src/store/types.ts'
import { MemoryStore } from '../registry/claims/fakes.ts'
import { profile } from '../registry/test-profile.ts'
import type { TestNode } from '../registry/test-node.ts'
import { ALICE, code, SECOND, useWorkbench } from '../registry/workbench.ts'

const bench = useWorkbench()

/** The holder's side of that daemon. */
function holderOf({ dependencies }: TestNode): Holder {
  const { store, roundClock, beacon, pool } = dependencies
  return new Holder({
    profile,
    store,
    clock: roundClock,
    verifier: createVerifier(profile, beacon, pool),
    judge: pool,
    budget: createBudget(false),
    nodeKey: keyPairFromSeed(new Uint8Array(32)),
    peers: () => undefined,
    fetchIdentities: () => Promise.resolve({ records: [], isAnswered: true, shownBy: [] }),
    onStored: () => undefined
  })
}

it('an ended lease has ended for registry, tasks and holder, also after a restart without a beacon', async () => {
  const store = new MemoryStore()
  const before = await bench.start({ store })
  await bench.registered()
  bench.clock.set(bench.clock.now() + (profile.lease + profile.grace + 60) * profile.beacon.period * SECOND)
  expect(before.registry.ownedNames()).toMatchObject([{ state: 'lapsed' }])
  // The holder looks at its entries.
  before.dependencies.roundClock.time()
  await bench.closeAll()

  const after = await bench.start({ store, isBeaconDown: true })
  expect(after.dependencies.roundClock.time()).toMatchObject({ verified: 0, fresh: false })
  const put = await holderOf(after).put('reveal', encodeReveal(bench.held()))
  expect(put).toMatchObject({ type: 'refused', code: 'dead' })
  expect(after.registry.ownedNames()).toMatchObject([{ state: 'lapsed' }])
  await expect(after.registry.resolve(ALICE)).rejects.toThrow(code('SVC-RES-002'))
})

it('goes on while the disk is full', async () => {
  const store = new MemoryStore()
  const node = await bench.start({ store })
  await bench.registered()
  store.onWrite = () => {
    throw new StoreError('full', 'no space')
  }
  bench.clock.set(bench.clock.now() + (profile.lease + profile.grace + 60) * profile.beacon.period * SECOND)
  expect(node.registry.ownedNames()).toMatchObject([{ state: 'lapsed' }])
})
