/** Honest nodes come and go: each stays for a time with that mean, and another takes its place in the count. */
import { DAY_MS, type World } from '../world.ts'

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
