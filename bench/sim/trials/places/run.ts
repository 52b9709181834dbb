/**
 * A name whose record is at two keys. The second key is that of a second name, kept by the same owner key: an
 * independent hash, as a domain-separated one is. So holders of both run the project's rules as they are. The owner's
 * squarings count once. The commitment of the second place is one of its own, which favours the rule by nothing.
 */
import type { Spending } from '../../adversary.ts'
import { startChurn } from '../../people/churn.ts'
import { Owner } from '../../people/owner.ts'
import { Resolver } from '../../people/resolver.ts'
import type { Sights } from '../../run.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, World } from '../../world.ts'
import { attack, type PlacesAttack } from './attacks.ts'
import { judge, PLACE_RULES, type Judged, type PlaceRule } from './rules.ts'

export interface PlacesOptions {
  readonly nodes: number
  readonly days: number
  readonly seed: string
  readonly attack: PlacesAttack
  /** Mean days that a node stays; the attack's own by default. */
  readonly lifeDays?: number
}

export interface PlacesResult {
  readonly attack: string
  readonly nodes: number
  readonly attacker: Spending
  /** Looks of resolvers without a pin, by each rule. */
  readonly seen: Readonly<Record<PlaceRule, Sights>>
  /** Of the honest holders of each place at the end, those with another owner's claim. */
  readonly holdersWrong: readonly [string, string]
  readonly honestBytes: number
}

const NAMES = ['the-name-that-they-want.chronym', 'the-name-at-its-second-place.chronym'] as const
const LOOK_MS = 6 * HOUR_MS

export async function runPlaces(options: PlacesOptions): Promise<PlacesResult> {
  const { nodes, days, seed, attack: move } = options
  const world = new World(seed)
  for (let index = 0; index < nodes; index++) world.addNode()
  startChurn(world, options.lifeDays ?? move.lifeDays ?? Infinity)
  const first = new Owner(world, NAMES[0])
  const owners = [first, new Owner(world, NAMES[1], first.habits, first.node, first.key)] as const
  const beginsMs = move.begins === 'settled' ? 4 * DAY_MS : 20 * MINUTE_MS
  for (const owner of owners) world.timeline.after(10 * MINUTE_MS, () => void owner.live())
  let attacker: Spending | undefined
  world.timeline.after(beginsMs, () => {
    attacker = attack(world, owners, move)
  })
  const seen = Object.fromEntries(
    PLACE_RULES.map((rule) => [rule, { right: 0, wrong: 0, contested: 0, missing: 0 }])
  ) as Record<PlaceRule, Sights>
  const look = async (): Promise<void> => {
    const resolver = new Resolver(world)
    const [at, also] = await Promise.all(NAMES.map((name) => resolver.resolve(name)))
    for (const rule of PLACE_RULES) count(seen[rule], judge(rule, at!, also!, world.profile), first.pubkey)
  }
  const startMs = world.timeline.nowMs
  for (let atMs = Math.max(beginsMs, LOOK_MS) + HOUR_MS; atMs < days * DAY_MS - HOUR_MS; atMs += LOOK_MS)
    world.timeline.after(atMs, () => void look())
  await world.timeline.runUntil(startMs + days * DAY_MS)
  if (attacker === undefined) throw new Error('the attack begins after the end of the run: run for more days')
  const [wrong, wrongToo] = owners.map((owner) => wrongAt(world, owner))
  return {
    attack: move.id,
    nodes,
    attacker,
    seen,
    holdersWrong: [wrong!, wrongToo!],
    honestBytes: world.ledger.honest.bytes
  }
}

function count(sights: Sights, { kind, owner }: Judged, rightful: string): void {
  if (kind === 'owner') sights[owner === rightful ? 'right' : 'wrong']++
  else sights[kind === 'contested' ? 'contested' : 'missing']++
}

function wrongAt(world: World, { name, recordKey, pubkey }: Owner): string {
  const holders = world.holdersOf(recordKey)
  const wrong = holders.filter(({ held }) => (held.get(name)?.owner ?? pubkey) !== pubkey)
  return `${wrong.length}/${holders.length}`
}
