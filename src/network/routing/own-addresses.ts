/**
 * Which of its own addresses a node announces. Private ones at once; a public or a named one after a peer has dialled
 * it: behind a firewall or a router it leads nowhere, and everybody would try. A peer that lies harms this node alone,
 * which then announces an address in vain, or asks another peer.
 */
import { randomInt } from 'node:crypto'
import type { IdentifyResult, PeerId } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Clock } from '../../time/clock.ts'
import type { Node } from '../libp2p.ts'
import { type OwnAddress, ListenError } from '../types.ts'
import { answerOrUndefined, ask } from '../wire/exchange.ts'
import { registryProtocol } from '../wire/messages.ts'
import { MAX_ADDRESSES } from '../wire/find.ts'
import { byUse, ipOf, isIpAndPort, isLoopback, specialRange } from '../transport/addresses.ts'
import type { SettledPrefixes } from './prefixes.ts'
import { mayJudge, Role, Voices, type Circumstances } from './role.ts'

const LOOK_MS = 10_000

/** Peers asked about one address in one look, one after the other. The first usually confirms it. */
const ASKED_A_LOOK = 3

export interface OwnRole {
  readonly mode: 'full' | 'light'
  readonly why: string
}

interface OwnAddresses {
  /** The most useful first. */
  announced(): Multiaddr[]
  /** Without the peer id; those that are announced first. */
  list(): OwnAddress[]
  /** What the node should be in mode auto, and why. */
  role(): OwnRole
  /** Call before the node starts. `onRole`: the role is another now. */
  watch(node: Node, prefixes: Pick<SettledPrefixes, 'of' | 'settled'>, onRole: () => void): void
  /** Asks peers from now on; returns the function that ends it. */
  start(timers: Pick<Clock, 'every'>): () => void
}

export function createOwnAddresses(profile: NetworkProfile, rules: RoleRules, wasReached: boolean): OwnAddresses {
  const verdicts = new Map<string, AddressVerdicts>()
  const serving = new Map<string, PeerId>()
  const role = new Role(wasReached ? 'full' : 'light')
  let node: Node | undefined
  let prefixes: Pick<SettledPrefixes, 'of' | 'settled'> | undefined
  let onRole = (): void => undefined
  let looks = 0
  let told: string | undefined

  const candidates = (): Candidate[] => candidatesOf(rules, node?.services.listening() ?? [])
  const verdictsOn = (address: Multiaddr): AddressVerdicts => {
    const key = address.toString()
    const known = verdicts.get(key) ?? new AddressVerdicts()
    verdicts.set(key, known)
    return known
  }
  const isAnnounced = ({ use, address }: Candidate): boolean =>
    use === 'announce' || (use === 'confirm' && verdictsOn(address).isConfirmed)
  const announced = (): Multiaddr[] => {
    const all = candidates()
    const chosen = all.filter(isAnnounced)
    // Never nothing, or peers keep the addresses that they were told before. So a node behind a home's router announces
    // what leads nowhere: its loopback address, as a rule.
    const last = all.findLast(({ use }) => use === 'local')
    return (chosen.length > 0 || last === undefined ? chosen : [last]).map(({ address }) => address)
  }

  const toConfirm = (): Multiaddr[] => candidates().flatMap(({ use, address }) => (use === 'confirm' ? [address] : []))
  const circumstances = (): Circumstances => ({
    voices: toConfirm().map((address) => ({ address, voices: verdictsOn(address).voices })),
    prefixes: [...serving.values()].map((peer) => prefixes!.of(peer)),
    isNamed: rules.named.length > 0,
    expectsOthers: rules.expectsOthers(),
    looks
  })
  const decide = (): void => {
    const before = role.mode
    role.decide(circumstances())
    if (role.mode !== before) onRole()
  }

  /** Identify push follows a change of our own entry. */
  const tell = async (own: Node): Promise<void> => {
    const multiaddrs = announced()
    if (multiaddrs.join() === told || own.status !== 'started') return
    told = multiaddrs.join()
    await own.peerStore.patch(own.peerId, { multiaddrs })
  }

  const askOne = async (own: Node, peer: PeerId, address: Multiaddr, on: AddressVerdicts): Promise<void> => {
    on.asks(peer.toString(), looks)
    const answer = await answerOrUndefined(ask(own, peer, { type: 'reach', address: address.bytes }, profile))
    if (answer?.type === 'reached') on.reached(peer.toString(), looks)
    else if (answer?.type === 'refused' && answer.code === 'unreached') on.unreached(peer.toString(), answer.detail)
    else if (answer?.type === 'refused' && answer.code === 'undialled') on.undialled(answer.detail)
    if (answer?.type === 'reached' || (answer?.type === 'refused' && answer.code === 'unreached')) {
      await prefixes!.settled(peer)
      const prefix = prefixes!.of(peer)
      if (mayJudge(prefix, address)) on.voices.hear(prefix, answer.type === 'reached')
      decide()
    }
    await tell(own)
  }

  const check = async (own: Node, address: Multiaddr): Promise<void> => {
    const on = verdictsOn(address)
    if (on.isAsking) return
    on.isAsking = true
    try {
      for (let asked = 0; asked < ASKED_A_LOOK; asked++) {
        const able = [...serving.values()].filter((peer) => on.mayAsk(peer.toString(), looks))
        // One that reaches an address confirms it, and does not outvote those that could not: more are asked.
        const judges = role.isReached(circumstances(), { address, voices: on.voices })
          ? []
          : able.filter((peer) => mayJudge(prefixes!.of(peer), address))
        const unheard = judges.filter((peer) => !on.voices.has(prefixes!.of(peer)))
        const next = unheard.length > 0 ? unheard : on.isDue(looks) ? able : judges
        if (next.length === 0) break
        // By chance, so that nobody can arrange to be the one that is asked.
        await askOne(own, next[randomInt(next.length)]!, address, on)
      }
    } finally {
      on.isAsking = false
    }
  }

  const look = (own: Node): void => {
    const open = toConfirm()
    for (const key of verdicts.keys()) {
      if (!open.some((address) => address.toString() === key)) verdicts.delete(key)
    }
    for (const address of open) void check(own, address)
    decide()
  }

  return {
    announced,
    list: () =>
      candidates()
        .map((each): OwnAddress => {
          const shown = { address: each.address.toString(), confirmedBy: [], message: null }
          if (each.use === 'local') return { ...shown, state: 'local', message: each.message }
          if (each.use === 'announce') return { ...shown, state: 'announced' }
          const on = verdictsOn(each.address)
          if (on.isConfirmed) return { ...shown, state: 'announced', confirmedBy: on.confirmedBy }
          return { ...shown, state: 'unconfirmed', message: on.message(portOf(each.address)) }
        })
        .sort((left, right) => ORDER.indexOf(left.state) - ORDER.indexOf(right.state)),
    role: () => ({
      mode: role.mode,
      why: role.why(circumstances(), portOf(node!.services.listening()[0]), rules.fault?.())
    }),
    watch(own, settledPrefixes, onChange) {
      node = own
      prefixes = settledPrefixes
      onRole = onChange
      own.addEventListener('peer:identify', ({ detail }: CustomEvent<IdentifyResult>) => {
        const peer = detail.peerId.toString()
        if (!detail.protocols.includes(registryProtocol(profile))) serving.delete(peer)
        else if (!serving.has(peer)) {
          serving.set(peer, detail.peerId)
          look(own)
        }
      })
      own.addEventListener('peer:disconnect', ({ detail }) => {
        serving.delete(detail.toString())
        for (const each of verdicts.values()) each.forget(detail.toString())
      })
    },
    start: (timers) =>
      timers.every(LOOK_MS, () => {
        looks++
        look(node!)
        void tell(node!)
      })
  }
}

const ORDER: readonly OwnAddress['state'][] = ['announced', 'unconfirmed', 'local']

function portOf(address: Multiaddr | undefined): string {
  return address?.getComponents().find(({ name }) => name === 'tcp')?.value ?? ''
}

interface RoleRules extends AddressRules {
  /** Whether there are peers to find, which it may not have met yet. */
  readonly expectsOthers: () => boolean
}

interface AddressRules {
  /** `p2p.announce`; empty: the addresses listened on. */
  readonly named: readonly Multiaddr[]
  /** Whether a node of this network dials an address (`dialable`). */
  readonly mayDial: (address: Multiaddr) => boolean
  /** Where the router lets peers in. */
  readonly mapped?: () => Multiaddr | undefined
  /** Why it lets none in. */
  readonly fault?: () => string | undefined
}

export type Candidate =
  | { readonly address: Multiaddr; readonly use: 'announce' | 'confirm' }
  | { readonly address: Multiaddr; readonly use: 'local'; readonly message: string }

/** The most useful first. */
export function candidatesOf({ named, mayDial, mapped }: AddressRules, listening: readonly Multiaddr[]): Candidate[] {
  const beyondHere = listening.some((address) => !isLoopback(address))
  const judge = (address: Multiaddr): Candidate => {
    const range = specialRange(ipOf(address)!)
    const local = (message: string): Candidate => ({ address, use: 'local', message })
    if (named.length > 0) return local('--announce (p2p.announce) names other addresses.')
    if (range === 'loopback' && beyondHere) return local('It leads to this machine only.')
    // Means something on this link alone, and where there is a zone, on this machine alone.
    if (range === 'link-local') return local('It leads to machines of this link only.')
    if (!mayDial(address))
      return local(
        'A private address, which peers on the Internet cannot dial. Behind a router, turn on UPnP or NAT-PMP there, ' +
          'or forward a TCP port and name the public address with --announce (p2p.announce).'
      )
    return { address, use: range === undefined ? 'confirm' : 'announce' }
  }
  const beyond = named.length > 0 ? named : (mapped?.() ?? [])
  const confirmed = [beyond].flat().map((address): Candidate => ({ address, use: 'confirm' }))
  const isNamed = (address: Multiaddr): boolean => named.some((other) => other.equals(address))
  const others = byUse(listening.filter((address) => !isNamed(address)).map((address) => ({ multiaddr: address })))
  return [...confirmed, ...others.map(({ multiaddr }) => judge(multiaddr))]
}

/**
 * The port at which a router must let peers in, with nothing named: of a node that listens by IPv4 at private addresses
 * alone. By IPv6 that of a public address, since a firewall does not show; not beside a public IPv4 address, which homes
 * do not have.
 */
export function portToMap(
  { named }: Pick<AddressRules, 'named'>,
  listening: readonly Multiaddr[],
  version: 'IPv4' | 'IPv6'
): number | undefined {
  const listened = (named.length > 0 ? [] : listening).flatMap((address) => {
    const ip = ipOf(address)
    return ip === undefined ? [] : [{ address, isIPv4: ip.includes('.'), range: specialRange(ip) }]
  })
  if (listened.some(({ isIPv4, range }) => isIPv4 && range === undefined)) return undefined
  const next = listened.find(({ isIPv4, range }) =>
    version === 'IPv4' ? isIPv4 && range !== 'loopback' : !isIPv4 && range === undefined
  )
  return next && Number(portOf(next.address))
}

/** Throws ListenError for an address of `p2p.announce` that no peer would dial. */
export function checkNamed({ named, mayDial }: AddressRules): void {
  if (named.length > MAX_ADDRESSES)
    throw new ListenError(
      `p2p.announce names ${named.length} addresses, and peers pass on at most ${MAX_ADDRESSES} of one node`
    )
  for (const address of named) {
    const refuse = (reason: string): never => {
      throw new ListenError(`cannot announce ${address.toString()}: ${reason}`)
    }
    if (!isIpAndPort(address))
      refuse('peers dial an IP address with a TCP port, such as /ip4/192.0.2.1/tcp/7469, without a host or peer id')
    if (specialRange(ipOf(address)!) === 'nowhere' || !mayDial(address))
      refuse('peers of this network do not dial addresses of that range; name one that they reach')
  }
}

/** Peers that are remembered and shown. */
const MAX_SHOWN = 8

/**
 * Peers that must fail one after the other before a confirmed address is announced no more: one may lie, and one may
 * have trouble of its own.
 */
const FAILURES = 3

/** A confirmed address is tried again after ten minutes; a failure is followed up in the same look. */
const CONFIRMED_LOOKS = 60

/** The same peer is asked again after one look, then two, four, and at last ten minutes. */
const LONGEST_PAUSE = 60

/** What peers said of one own address, and which peer may be asked about it next. Times are looks, ten seconds each. */
class AddressVerdicts {
  /** Peers that reached it, most recent first. */
  confirmedBy: readonly string[] = []
  isConfirmed = false
  /** A question is under way: others wait for its answer. */
  isAsking = false
  /** One a wide prefix, for the node's role. */
  readonly voices = new Voices()
  /** Since the last success, the reason of each peer that failed. */
  readonly #failures = new Map<string, string>()
  #undialled: string | undefined
  #reachedAt = 0
  readonly #asked = new Map<string, { dueAt: number; pause: number }>()

  isDue(looks: number): boolean {
    return !this.isConfirmed || this.#failures.size > 0 || looks - this.#reachedAt >= CONFIRMED_LOOKS
  }

  mayAsk(peer: string, looks: number): boolean {
    return looks >= (this.#asked.get(peer)?.dueAt ?? 0)
  }

  asks(peer: string, looks: number): void {
    const pause = this.#asked.get(peer)?.pause ?? 1
    this.#asked.set(peer, { dueAt: looks + pause, pause: Math.min(2 * pause, LONGEST_PAUSE) })
  }

  forget(peer: string): void {
    this.#asked.delete(peer)
  }

  reached(peer: string, looks: number): void {
    this.confirmedBy = [peer, ...this.confirmedBy.filter((other) => other !== peer)].slice(0, MAX_SHOWN)
    this.isConfirmed = true
    this.#reachedAt = looks
    this.#failures.clear()
    this.#undialled = undefined
  }

  unreached(peer: string, reason: string): void {
    this.#failures.delete(peer)
    this.#failures.set(peer, reason)
    if (this.#failures.size >= FAILURES) this.isConfirmed = false
    if (this.#failures.size > MAX_SHOWN) this.#failures.delete(this.#failures.keys().next().value!)
  }

  /** The peer has no way there: that says nothing about the address. */
  undialled(reason: string): void {
    this.#undialled = reason
  }

  /** Why an address is not confirmed, and the cure. */
  message(port: string): string {
    const [last, reason] = [...this.#failures].at(-1) ?? []
    if (last !== undefined)
      return (
        `No peer reaches it; ${last} says: ${reason!}. Open TCP port ${port} in the firewall, forward it in the ` +
        'router, or name the address that peers reach with --announce (p2p.announce).'
      )
    if (this.#undialled !== undefined)
      return `The connected peers have no way there (${this.#undialled}). One that has will confirm it.`
    return 'No peer has dialled it yet. The first one that can be asked does so within seconds.'
  }
}
