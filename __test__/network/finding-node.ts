/** A bare node that looks up and answers look-ups as the daemon's does, without the registry on top. */
import { createFinder, type Finder } from '../../src/network/routing/finder.ts'
import { createLookUps, type LookUps } from '../../src/network/routing/look-ups.ts'
import type { Node } from '../../src/network/libp2p.ts'
import { createPrefixes, type SettledPrefixes } from '../../src/network/routing/prefixes.ts'
import { createBudget } from '../../src/network/budget/budget.ts'
import { serve, type Handlers } from '../../src/network/wire/serve.ts'
import { BUSY } from '../../src/network/wire/answers.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'

export interface Finding {
  readonly finder: Finder
  readonly prefixes: SettledPrefixes
  readonly lookUps: LookUps
}

/** Lets a node answer `find`, and nothing else. */
export async function findingOn(
  node: Node,
  profile: NetworkProfile,
  prefixes = createPrefixes(node, profile)
): Promise<Finding> {
  const finder = createFinder(node, profile, prefixes)
  const nothing = (): typeof BUSY => BUSY
  const handlers: Handlers = {
    commit: nothing,
    put: nothing,
    get: nothing,
    list: nothing,
    commitments: nothing,
    find: (request) => finder.answer(request),
    reach: nothing
  }
  await serve({
    node,
    profile,
    handlers,
    budget: createBudget(false),
    penalise: () => undefined,
    onFault: () => undefined
  })
  return { finder, prefixes, lookUps: createLookUps(node, finder, profile, prefixes) }
}
