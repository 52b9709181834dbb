/** What resolvers see of an owner's name, and who settles it. */
import type { Owner } from '../../people/owner.ts'
import { Resolver } from '../../people/resolver.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type World } from '../../world.ts'

/** Resolvers that look again and again. */
const RESOLVERS = 4

/** Settling takes a day, and a firm pin another one. */
const DAYS = 4

/** Right looks at the end, firm pins, and holders with a settled entry, each of all. */
export async function settledLooks(world: World, owner: Owner): Promise<string> {
  const resolvers = Array.from({ length: RESOLVERS }, () => new Resolver(world))
  let right = 0
  const look = async (resolver: Resolver): Promise<void> => {
    const { kind, owner: seen } = await resolver.resolve(owner.name)
    if (world.timeline.nowMs > endMs - 6 * HOUR_MS && kind === 'owner' && seen === owner.pubkey) right++
  }
  const endMs = world.timeline.nowMs + DAYS * DAY_MS
  void world.timeline.after(MINUTE_MS, () => void owner.live())
  for (let hours = 4; hours < DAYS * 24; hours += 4)
    void world.timeline.after(hours * HOUR_MS, () => resolvers.forEach((resolver) => void look(resolver)))
  await world.timeline.runUntil(endMs)
  const firm = resolvers.filter((resolver) => resolver.isFirm(owner.name)).length
  const holders = world.holdersOf(owner.recordKey)
  const settled = holders.filter(({ held }) => held.get(owner.name)?.state === 'settled').length
  return `${right}/${RESOLVERS}, ${firm}/${RESOLVERS}, ${settled}/${holders.length}`
}
