/** A small `npm run test:crash`: the same code, the same claims. */
import { expect, it } from 'vitest'
import { runCrashes } from '../../scripts/crash/run.ts'

it(
  'a daemon that is killed ten times registers and renews its names once, and loses nothing that was promised',
  { timeout: 900_000 },
  async () => {
    const { violations, kills, registrations, resumed, phases } = await runCrashes({ kills: 10, seed: 20 })
    expect(violations).toEqual([])
    expect({ kills, registrations }).toEqual({ kills: 10, registrations: expect.any(Number) as number })
    // Kills that met no task would show nothing.
    expect(registrations).toBeGreaterThan(0)
    expect(resumed).toBeGreaterThan(0)
    // Each phase is aimed at once or twice. Where a kill lands is the machine's affair: on a busy one a phase may be over
    // before it comes.
    expect(
      ['commit', 'pulse', 'evaluate', 'prove', 'reveal'].filter((phase) => (phases[phase] ?? 0) > 0).length,
      JSON.stringify(phases)
    ).toBeGreaterThan(2)
  }
)
