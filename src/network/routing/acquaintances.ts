/**
 * Since when peers are known here: later arrivals cannot outvote the witness of a claim (docs/protocol/rules.md, 10). A
 * peer earns its date at one prefix, by its presence there: ids that passed by from one address long ago come back as
 * strangers [stocked ids].
 */
import type { PeerId } from '@libp2p/interface'
import * as v from 'valibot'
import { isWithin, radius } from '../../protocol/neighbourhood/key-space.ts'
import { DiversePlaces, type DiversityLimits, type Origin } from '../../protocol/neighbourhood/diversity.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { keys } from '../../store/keys.ts'
import { Count, readJson, readOrSetAside, Text } from '../../store/stored-shapes.ts'
import type { Store } from '../../store/types.ts'
import type { Clock } from '../../time/clock.ts'
import type { Node } from '../libp2p.ts'
import { positionOf } from '../table.ts'
import type { LookUps } from './look-ups.ts'
import { contactOf, type Prefixes } from './prefixes.ts'

/** Peers remembered, 250 bytes each in memory and 90 on disk. */
const MAX_REMEMBERED = 8_192

/** How often the peers that are there are noted. */
const LOOK_MS = 60 * 60_000

/**
 * Looks that a peer may miss: those of a day, so that machines which are off at night stay known. It is no longer than
 * `settle` of network `main`: no id passes for one of before `settle` by a single visit.
 */
const MAX_MISSED = (24 * 60 * 60_000) / LOOK_MS

/**
 * Times k peers, by the network's size: those around this node. Only they hold what it holds. Farther ones would use up
 * the places of large providers.
 */
const AROUND = 4

const Kept = v.object({ looks: Count, peers: v.array(v.tuple([Text, Text, Count, Count])) })

/** Where earlier versions kept peers, without prefixes. All begin as strangers. */
const Former = v.pipe(
  v.array(v.tuple([Text, Count])),
  v.transform((): v.InferOutput<typeof Kept> => ({ looks: 0, peers: [] }))
)

export type AcquaintanceLimits = DiversityLimits & Pick<NetworkProfile, 'settle'>

interface Acquaintance extends Origin {
  /** A round. */
  since: number
  /** The number of the last look that saw it. */
  seen: number
}

/**
 * On disk, so that a restart keeps acquaintances. Value: JSON of the number of looks so far, and of [peer id, prefix,
 * round, last look] in order of arrival. Time is counted in looks: this node's own sleep is no absence of others.
 */
export class Acquaintances {
  readonly #store: Store
  readonly #now: () => number
  readonly #limits: AcquaintanceLimits
  readonly #known = new Map<string, Acquaintance>()
  #places: DiversePlaces
  #looks: number
  #isChanged = false

  /** `now`: `ProtocolTime.now`. */
  constructor(store: Store, now: () => number, limits: AcquaintanceLimits) {
    this.#store = store
    this.#now = now
    this.#limits = limits
    this.#places = new DiversePlaces(limits)
    const kept = readOrSetAside(store, keys.acquaintances(), store.get(keys.acquaintances()), (json) =>
      readJson(v.union([Kept, Former]), json)
    )
    this.#looks = kept?.looks ?? 0
    for (const [peer, prefix, since, seen] of kept?.peers ?? []) this.#add({ peer, prefix, since, seen })
  }

  /** The round since which a peer is known at this prefix; undefined for a stranger. */
  met(origin: Origin): number | undefined {
    return this.#known.get(idOf(origin))?.since
  }

  /** Whether a peer is known at this prefix since before now less `settle`. */
  isLongKnown(origin: Origin): boolean {
    return (this.met(origin) ?? Infinity) < this.#now() - this.#limits.settle
  }

  /**
   * Notes a peer that is there. A newcomer is left out where all places are taken, or those of its prefix: floods of
   * new ids displace nobody.
   */
  note({ peer, prefix }: Origin): void {
    const known = this.#known.get(idOf({ peer, prefix }))
    if (known === undefined) this.#add({ peer, prefix, since: this.#now(), seen: this.#looks })
    else {
      known.seen = this.#looks
      // Noted by a clock that was ahead.
      known.since = Math.min(known.since, this.#now())
    }
  }

  /** One more look, every {@link LOOK_MS}: these are there. Without any, this node is offline, and nobody is absent. */
  look(present: readonly Origin[]): void {
    if (present.length === 0) return
    this.#looks++
    this.#isChanged = true
    this.#forgetAbsent()
    for (const origin of present) this.note(origin)
  }

  /** Writes changes since the last time. Throws StoreError. */
  keep(): void {
    if (!this.#isChanged) return
    const peers = Array.from(this.#known.values(), ({ peer, prefix, since, seen }) => [peer, prefix, since, seen])
    this.#store.put(keys.acquaintances(), new TextEncoder().encode(JSON.stringify({ looks: this.#looks, peers })))
    this.#isChanged = false
  }

  #add(newcomer: Acquaintance): void {
    // Each pair of peer and prefix counts for itself: a peer with two addresses has two dates.
    const id = idOf(newcomer)
    if (this.#known.size >= MAX_REMEMBERED || !this.#places.take({ peer: id, prefix: newcomer.prefix })) return
    this.#known.set(id, newcomer)
    this.#isChanged = true
  }

  #forgetAbsent(): void {
    const absent = [...this.#known].filter(([, { seen }]) => this.#looks - seen > MAX_MISSED)
    if (absent.length === 0) return
    for (const [id] of absent) this.#known.delete(id)
    this.#places = new DiversePlaces(this.#limits)
    for (const [id, { prefix }] of this.#known) this.#places.take({ peer: id, prefix })
  }
}

function idOf({ peer, prefix }: Origin): string {
  return `${peer} ${prefix}`
}

interface AcquaintedParts {
  readonly profile: Pick<NetworkProfile, 'k'>
  readonly prefixes: Prefixes
  readonly lookUps: Pick<LookUps, 'networkSize'>
  readonly timers: Pick<Clock, 'every'>
}

/**
 * Notes the connected peers of the routing table around this node: as they come, and with every look. Libp2p ends
 * connections that answer no ping. Returns the function that ends it.
 */
export function keepAcquainted(
  node: Node,
  acquaintances: Pick<Acquaintances, 'note' | 'look'>,
  { profile, prefixes, lookUps, timers }: AcquaintedParts
): () => void {
  const own = positionOf(node.peerId)
  const { table } = node.services
  const around = (ids: readonly PeerId[]): Origin[] => {
    const known = ids.filter((id) => table.has(id) && prefixes.known(id) !== undefined)
    // The size of the network is an estimate that takes a look at the whole table.
    const reach = known.length === 0 ? 0 : radius(AROUND * profile.k, lookUps.networkSize())
    return known.map((id) => contactOf(id, prefixes)).filter(({ position }) => isWithin(own, position, reach))
  }
  const come = (...ids: PeerId[]): void => {
    for (const origin of around(ids)) acquaintances.note(origin)
  }
  const connected = (): PeerId[] => [
    ...new Map(node.getConnections().map(({ remotePeer }) => [remotePeer.toString(), remotePeer])).values()
  ]
  const onOpen = ({ detail }: CustomEvent<{ readonly remotePeer: PeerId }>): void => come(detail.remotePeer)
  node.addEventListener('connection:open', onOpen)
  const ends = [
    table.onAdded(({ id }) => come(id)),
    timers.every(LOOK_MS, () => acquaintances.look(around(connected())))
  ]
  come(...connected())
  return () => {
    node.removeEventListener('connection:open', onOpen)
    for (const end of ends) end()
  }
}
