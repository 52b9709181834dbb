/** Sixty daemons or as many: their figures, what names do while nodes leave and the network is parted, and a soak. */
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { checkOutEarlier } from '../../__test__/e2e/earlier-build.ts'
import type { Scene } from '../../__test__/e2e/processes.ts'
import { buildDist } from '../../bench/network/dist.ts'
import { measureFigures, tableOf, type Figure } from './many/figures.ts'
import { startMany } from './many/ground.ts'
import { IDLE_HOMES, measureIdleHomes, type IdleHome } from './many/idle-homes.ts'
import { runPhases, type Phases } from './many/phases.ts'
import { plotAsked } from './many/plot.ts'
import { runSoak, type Soak } from './many/soak.ts'
import { MANY, SHORT_LEASES } from './profile.ts'
import { SOURCE } from './regions.ts'

interface ManyOptions {
  readonly nodes: number
  readonly names: number
  /** Seconds for which nothing is asked, for what a home takes. */
  readonly quiet: number
  /** Published delays times this: how much of a time is round trips. */
  readonly stretch: number
  /** Seconds with all nodes, after a third left, parted in two, and healed. */
  readonly phases: readonly number[]
  /** File of the plot. */
  readonly plot: string
}

interface ManyResult {
  readonly nodes: number
  readonly source: string
  /** Of the machine, with what else it runs, when the figures begin. */
  readonly load: number
  readonly idle_homes: readonly IdleHome[]
  readonly figures: readonly Figure[]
  readonly phases: Phases['phases']
  readonly emulator: unknown
}

export async function measureMany(scene: Scene, options: ManyOptions): Promise<ManyResult> {
  buildDist()
  const { nodes, names, stretch } = options
  const many = await startMany(scene, { nodes, names, profile: MANY, homes: IDLE_HOMES, stretch })
  const idle = await measureIdleHomes(many, options.quiet)
  for (const home of idle) console.log(JSON.stringify(home))
  const load = loadavg()[0]!
  const figures = await measureFigures(many)
  console.log(tableOf(figures))
  const [before = 60, left = 180, parted = 600, healed = 240] = options.phases
  const { asked, marks, phases } = await runPhases(many, { before, left, parted, healed })
  writeFileSync(options.plot, plotAsked(`${nodes} nodes: names asked for, one a second`, asked, marks))
  const emulator = JSON.parse(await many.network.end()) as unknown
  return { nodes, source: SOURCE, load, idle_homes: idle, figures, phases, emulator }
}

interface SoakOptions {
  readonly nodes: number
  readonly names: number
  readonly hours: number
  readonly plot: string
  /** The commit of the build that all nodes begin with. */
  readonly from: string | undefined
}

export async function soakMany(
  scene: Scene,
  { nodes, names, hours, plot, from }: SoakOptions
): Promise<Omit<Soak, 'asked' | 'marks'> & { readonly upgraded_from: string | null }> {
  buildDist()
  const earlier = from === undefined ? undefined : checkOutEarlier(scene, from)
  if (earlier !== undefined) buildDist(earlier.root)
  const wanted = { nodes, names, profile: SHORT_LEASES, homes: [], stretch: 1 }
  const many = await startMany(scene, { ...wanted, ...(earlier && { root: earlier.root }) })
  const { asked, marks, ...soak } = await runSoak(many, hours * 3600)
  writeFileSync(plot, plotAsked(`${nodes} nodes that come and go: names asked for, one a second`, asked, marks))
  return { ...soak, upgraded_from: earlier?.title ?? null }
}
