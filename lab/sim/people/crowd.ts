/** The crowd of honest nodes: their clocks, their ages, and how they come and go. */
import { DAY_MS, MINUTE_MS, type World } from '../world/world.ts'

/** Each stays for a time with that mean, and another takes its place in the count. */
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

/** One clock in twenty is off by minutes, one in two hundred by up to a year ahead. */
export function clockOf(world: World): { clockOffMs?: number } {
  const draw = world.chance.next()
  if (draw < 0.005) return { clockOffMs: world.chance.next() * 365 * DAY_MS }
  return draw < 0.055 ? { clockOffMs: world.chance.between(-5, 5) * MINUTE_MS } : {}
}
