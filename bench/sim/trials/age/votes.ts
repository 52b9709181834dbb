/** What a first-time resolver hears about a settled name while ids of a thief sit around its key. */
import { sha256, toHex, utf8 } from '../../../../src/protocol/encoding/bytes.ts'
import { Adversary, empty, showing } from '../../adversary.ts'
import { fastKeyPair } from '../../engine/keys.ts'
import { Owner } from '../../people/owner.ts'
import { Resolver, type Seen } from '../../people/resolver.ts'
import { DAY_MS, World } from '../../world.ts'

export interface Crowd {
  readonly ids: number
  /** Says that nobody holds the name, rather than a claim of the thief's. */
  readonly hides: boolean
  readonly nodes: number
  readonly seed: string
}

export interface Votes {
  readonly seen: Seen
  /** Public keys in hex. */
  readonly owner: string
  readonly thief: string
  /** Owners whose claims any answer shows. */
  readonly shown: ReadonlySet<string>
  readonly eurosADay: number
}

/** When the thief comes: the name is settled. */
const SETTLED_MS = 2 * DAY_MS

/** @throws where no answer comes within an hour of virtual time */
export async function votesOf({ ids, hides, nodes, seed }: Crowd): Promise<Votes> {
  const world = new World(seed)
  for (let index = 0; index < nodes; index++) world.addNode()
  const victim = new Owner(world, 'the-name-that-they-want.chronym')
  world.timeline.after(0, () => void victim.live())
  await world.timeline.runUntil(world.timeline.nowMs + SETTLED_MS)
  const adversary = new Adversary(world)
  const key = fastKeyPair(sha256(utf8('thief')))
  const lie = hides ? empty : showing(adversary.backdated(victim.name, key), world.hash)
  adversary.joinNear(victim.recordKey, ids, lie)
  let seen: Seen | undefined
  world.timeline.after(0, () => void new Resolver(world).resolve(victim.name).then((each) => (seen = each)))
  await world.timeline.runUntil(world.timeline.nowMs + DAY_MS / 24)
  if (seen === undefined) throw new Error(`no answer within an hour of virtual time: ${ids} ids, seed ${seed}`)
  const shown = new Set(seen.answers.flatMap(({ held }) => (held === undefined ? [] : [toHex(held.claim.pubkey)])))
  const { eurosADay } = adversary.spending
  return { seen, owner: victim.pubkey, thief: toHex(key.publicKey), shown, eurosADay }
}
