/** Honest nodes come and go: each stays for a time with that mean, and another takes its place in the count. */
import { DAY_MS, type World } from '../world/world.ts'

export function startChurn(world: World, lifeDays: number): void {
  if (lifeDays === Infinity) return
  const random = world.random('churn')
  const live = (node: ReturnType<World['addNode']>): void => {
    void world.timeline.after(random.exponential(lifeDays) * DAY_MS, () => {
      world.remove(node)
      live(world.addNode())
    })
  }
  for (const node of [...world.topology.all()]) live(node)
}

/** Mean age of nodes where none leaves; otherwise it is the mean time that they stay. */
const OLD_DAYS = 30

/** Rounds in which nodes joined that are there at the beginning. */
export function drawBirths(world: World, lifeDays: number): () => number {
  const random = world.random('ages')
  const meanAge = (Math.min(lifeDays, OLD_DAYS) * DAY_MS) / 1000 / world.profile.beacon.period
  return () => world.round() - Math.floor(random.exponential(meanAge))
}
