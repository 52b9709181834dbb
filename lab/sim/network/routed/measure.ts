/** npm run lab:sim -- --look-ups --nodes N [--seed S] [--json]: real look-ups beside the formula that replaces them. */
import { distance } from '../../../../src/protocol/neighbourhood/key-space.ts'
import { diverseFirst } from '../../../../src/protocol/neighbourhood/diversity.ts'
import type { SimNode } from '../../world/sim-node.ts'
import { World } from '../../world/world.ts'
import { modelledHops } from '../view.ts'

/** Look-ups of random keys, by as many nodes of each kind. */
const LOOK_UPS = 40

/** Virtual time for a newcomer's own first look-ups. */
const JOINING_MS = 5 * 60_000

/** A look-up ends after ten seconds. */
const LOOK_UP_MS = 15_000

interface Looked {
  readonly hops: number
  readonly questions: number
  /** Of the k nearest that it should find, the share that it found. */
  readonly foundShare: number
}

interface Kind {
  /** Peers in the table: least, mean, most. */
  readonly table: readonly [number, number, number]
  readonly hops: number
  readonly mostHops: number
  readonly questions: number
  readonly foundShare: number
  /** The estimated size of the network: least, median, most. */
  readonly size: readonly [number, number, number]
}

interface LookUpFigures {
  readonly nodes: number
  readonly seed: string
  /** What modelled routing takes. */
  readonly modelledHops: number
  readonly settled: Kind
  readonly newcomers: Kind
}

/** Nodes whose tables are full, and clients that join by three first peers. None comes or goes meanwhile. */
export async function measureLookUps(nodes: number, seed: string, count = LOOK_UPS): Promise<LookUpFigures> {
  const world = new World(seed, undefined, undefined, 'real')
  for (let index = 0; index < nodes; index++) world.addNode()
  const all = [...world.topology.all()]
  const settled = world.random('measured').shuffled(all).slice(0, count)
  await world.establish(settled)
  const newcomers = Array.from({ length: count }, () => world.addClient())
  await world.timeline.runUntil(world.timeline.nowMs + JOINING_MS)
  return {
    nodes,
    seed,
    modelledHops: modelledHops(nodes, world.profile.k),
    settled: await measure(world, settled),
    newcomers: await measure(world, newcomers)
  }
}

async function measure(world: World, nodes: readonly SimNode[]): Promise<Kind> {
  const tables = nodes.map(({ routed }) => routed!.known).sort((left, right) => left - right)
  const sizes = nodes.map(({ view }) => view.networkSize()).sort((left, right) => left - right)
  const looked: Looked[] = []
  for (const node of nodes) looked.push(await lookUp(world, node))
  const mean = (of: (each: Looked) => number): number => looked.reduce((sum, each) => sum + of(each), 0) / looked.length
  return {
    table: [tables[0]!, Math.round(tables.reduce((sum, size) => sum + size, 0) / tables.length), tables.at(-1)!],
    hops: mean(({ hops }) => hops),
    mostHops: Math.max(...looked.map(({ hops }) => hops)),
    questions: mean(({ questions }) => questions),
    foundShare: mean(({ foundShare }) => foundShare),
    size: [sizes[0]!, sizes[sizes.length >> 1]!, sizes.at(-1)!]
  }
}

async function lookUp(world: World, node: SimNode): Promise<Looked> {
  const key = world.chance.bytes(32)
  const before = { ...world.ledger.lookUps }
  // In an event of the run: only then are its timers virtual.
  const finding = world.sleep(0).then(() => node.routed!.finder.find(key))
  await world.timeline.runUntil(world.timeline.nowMs + LOOK_UP_MS)
  const found = new Set((await finding).peers.map(String))
  const near = [...world.topology.all()]
    .filter((other) => other !== node)
    .sort((left, right) => distance(key, left.position) - distance(key, right.position))
    .map(({ peer }) => peer)
  const wanted = diverseFirst(near, world.profile.k, world.profile)
  const { lookUps } = world.ledger
  return {
    hops: (lookUps.hops - before.hops) / (lookUps.count - before.count),
    questions: (lookUps.questions - before.questions) / (lookUps.count - before.count),
    foundShare: wanted.filter(({ peer }) => found.has(peer)).length / wanted.length
  }
}

export function lookUpText({ nodes, modelledHops: modelled, settled, newcomers }: LookUpFigures): string {
  const line = (what: string, { table, hops, mostHops, questions, foundShare, size }: Kind): string =>
    [
      `${what}: table ${table.join('/')} peers (least/mean/most)`,
      `${hops.toFixed(2)} hops on average, ${mostHops} at most`,
      `${questions.toFixed(1)} questions`,
      `${(100 * foundShare).toFixed(1)}% of the nearest found`,
      `size taken for ${size.join('/')} (least/median/most)`
    ].join(', ')
  return [`${nodes} nodes, modelled: ${modelled} hops`, line('settled', settled), line('newcomers', newcomers)].join(
    '\n'
  )
}
