/** Each attack on a name by each rule of ages: the votes are those of a simulated network, the ages those of chains. */
import { sha256, toHex, utf8 } from '../../../../src/protocol/encoding/bytes.ts'
import { Adversary, showing } from '../../adversary.ts'
import { Owner } from '../../people/owner.ts'
import { Resolver, type Seen } from '../../people/resolver.ts'
import { DAY_MS, World } from '../../world.ts'
import { AGE_ATTACKS, type AgeAttack, type Chains } from './attackers.ts'
import { ageOf, TimeChain } from './chain.ts'
import { AGE_RULES, shownBy, type AgeRule, type Shown } from './rules.ts'

export interface AgeOptions {
  readonly nodes: number
  readonly seed: string
}

export interface AgeResult {
  readonly attack: AgeAttack
  readonly eurosADay: number
  /** What a first-time resolver sees. */
  readonly seen: Readonly<Record<Chains, Readonly<Record<AgeRule, Sight>>>>
}

export type Sight = 'right' | 'wrong' | 'contested' | 'missing'

/** When the thieves come, and when resolvers look. */
const SETTLED_MS = 2 * DAY_MS

const TODAY = 10_000

interface Votes {
  readonly seen: Seen
  readonly owner: string
  readonly thief: string
  readonly eurosADay: number
}

export async function runAges({ nodes, seed }: AgeOptions, onProgress?: (share: number) => void): Promise<AgeResult[]> {
  const byIds = new Map<number, Votes>()
  const results: AgeResult[] = []
  for (const attack of AGE_ATTACKS) {
    const votes = byIds.get(attack.ids) ?? (await votesOf(attack.ids, nodes, seed))
    byIds.set(attack.ids, votes)
    results.push({ attack, eurosADay: votes.eurosADay, seen: { anybody: bySide('anybody'), named: bySide('named') } })
    onProgress?.(results.length / AGE_ATTACKS.length)

    function bySide(chains: Chains): Record<AgeRule, Sight> {
      const { seen, owner, thief } = votes
      const shown = new Set(seen.answers.flatMap(({ held }) => (held === undefined ? [] : [toHex(held.claim.pubkey)])))
      const days = new Map([
        [owner, attack.ownerDays[chains]],
        [thief, attack.thiefDays[chains]]
      ])
      const ages = new Map([...shown].map((pubkey) => [pubkey, ageOnChain(pubkey, days.get(pubkey) ?? 0)]))
      return Object.fromEntries(AGE_RULES.map((rule) => [rule, sightOf(shownBy(rule, seen, ages), owner)])) as Record<
        AgeRule,
        Sight
      >
    }
  }
  return results
}

async function votesOf(ids: number, nodes: number, seed: string): Promise<Votes> {
  const world = new World(seed)
  for (let index = 0; index < nodes; index++) world.addNode()
  const victim = new Owner(world, 'the-name-that-they-want.chronym')
  world.timeline.after(0, () => void victim.live())
  await world.timeline.runUntil(world.timeline.nowMs + SETTLED_MS)
  const adversary = new Adversary(world)
  const key = world.newKey()
  adversary.joinNear(victim.recordKey, ids, showing(adversary.backdated(victim.name, key), world.hash))
  let seen: Seen | undefined
  world.timeline.after(0, () => void new Resolver(world).resolve(victim.name).then((each) => (seen = each)))
  await world.timeline.runUntil(world.timeline.nowMs + DAY_MS / 24)
  const { eurosADay } = adversary.spending
  return { seen: seen!, owner: victim.pubkey, thief: toHex(key.publicKey), eurosADay }
}

/** By a chain that holds the claim since that many days; 0: none does. */
function ageOnChain(pubkey: string, days: number): number {
  if (days === 0) return 0
  const claim = sha256(utf8(pubkey))
  const chain = new TimeChain('operator')
  for (let day = TODAY - days; day <= TODAY; day++) chain.tick(day, day === TODAY - days ? [claim] : [])
  return ageOf(claim, chain.evidence(claim)!, chain.ticks, TODAY)
}

function sightOf(shown: Shown, owner: string): Sight {
  if (shown.kind === 'owner') return shown.owner === owner ? 'right' : 'wrong'
  return shown.kind === 'contested' ? 'contested' : 'missing'
}
