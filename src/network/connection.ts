import type { PeerId } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import type { Logger } from 'pino'
import type { Bootstrap } from './bootstrap/bootstrap.ts'
import { keepAcquainted, type Acquaintances } from './routing/acquaintances.ts'
import type { Budget } from './budget/budget.ts'
import type { Origin } from '../protocol/neighbourhood/diversity.ts'
import { contactsOf } from './routing/contacts.ts'
import { discoverPeers, refreshTable } from './routing/refresh.ts'
import { createDialBack } from './routing/dial-back.ts'
import { dialPeer } from './routing/dial-peer.ts'
import { answerFinds, createFinder, type Finder, createLookUps } from './routing/look-ups.ts'
import { listPeers, createPeers, type Peers } from './peers.ts'
import { keepPlaces } from './routing/keep-places.ts'
import { createOwnAddresses, checkNamed, portToMap, type OwnRole } from './routing/own-addresses.ts'
import { BY_IPV4, BY_IPV6, keepPortMapped, type PortMapping } from './mapping/port-mapping.ts'
import { parseAddress, startNode, type NodeOptions } from './node.ts'
import type { Node } from './libp2p.ts'
import { dialable } from './transport/gater.ts'
import { createPrefixes, type SettledPrefixes } from './routing/prefixes.ts'
import { serve, type Handlers, type ServeOptions } from './wire/exchange.ts'
import { createPatience, type Patience } from './wire/patience.ts'
import { keepTable } from './routing/keep-table.ts'
import type { Clock } from '../time/clock.ts'
import type { KnownPeer, NetworkEvent, NetworkMode, OwnAddress } from './types.ts'
import { watchBootstrap, watchConnecting } from './routing/watchdog.ts'

interface ConnectionOptions extends Omit<NodeOptions, 'mayConnect' | 'announced' | 'bootstrap'> {
  readonly bootstrap: Bootstrap
  /** Addresses to announce once they are confirmed; empty: those listened on. */
  readonly announce: readonly string[]
  /** Whether a router is asked to let peers in. */
  readonly mayMap: () => boolean
  /** Addresses of peers to try beside the bootstrap peers when no peer is known. */
  readonly metBefore: () => readonly string[]
  readonly timers: Pick<Clock, 'every'>
  readonly log: Logger
  readonly acquaintances: Acquaintances
  readonly onKnown: () => void
  /** In mode auto it was full in its last run, and is until peers say something else. */
  readonly wasReached: boolean
  /** What the node should be in mode auto is another role now. */
  readonly onRole: () => void
  readonly handlers: Omit<Handlers, 'find' | 'reach'>
  readonly budget: Budget
  readonly penalise: ServeOptions['penalise']
  readonly emit: (event: NetworkEvent) => void
}

export interface Connection {
  readonly peers: Peers
  connectedPeers(): number
  list(): KnownPeer[]
  /** Of a peer that is or was connected. */
  prefixOf(peer: string): string | undefined
  addresses(): OwnAddress[]
  /** What the node should be in mode auto, and why. */
  role(): OwnRole
  /** While no peer can be asked. */
  whyConnecting(): string
  /** Resolves with the id of the peer that answers. Throws DialError. */
  dial(address: string): Promise<string>
  contacts(): Promise<string[]>
  /** Answers peers and their look-ups in mode full, none in mode light. */
  setMode(mode: Exclude<NetworkMode, 'offline'>): Promise<void>
  hangUp(peer: PeerId): void
  close(): Promise<void>
}

/** Characters kept of what a peer says it is. */
const MAX_AGENT = 64

/** Opens a node in that mode. Throws ListenError. */
export async function openConnection(
  options: ConnectionOptions,
  mode: Exclude<NetworkMode, 'offline'>
): Promise<Connection> {
  const { profile, bootstrap, metBefore, timers, log, acquaintances, onKnown, onRole, handlers, budget } = options
  const { penalise, emit } = options
  const named = (): readonly string[] => bootstrap.named()
  let endServing: (() => Promise<void>) | undefined
  const startServing = async (node: Node, finder: Finder): Promise<void> => {
    endServing = await serve({
      node,
      profile,
      handlers: { ...handlers, find: answerFinds(finder, budget), reach: createDialBack(node, budget) },
      budget,
      penalise,
      onFault: (request, error) => {
        log.error({ err: error, request }, 'a request of a peer could not be answered')
      }
    })
  }
  let parts: { readonly prefixes: SettledPrefixes; readonly finder: Finder; readonly patience: Patience } | undefined
  let connectedPeers = (): number => 0
  const agents = new Map<string, string>()
  const unreachable = new Map<string, string>()
  let whyConnecting = (): string => ''
  const router: { mapping?: PortMapping } = {}
  const rules = {
    named: options.announce.map(parseAddress),
    mapped: () => router.mapping?.address(),
    fault: () => router.mapping?.fault(),
    expectsOthers: () => bootstrap.expectsOthers || metBefore().length > 0,
    mayDial: dialable({ profile, listen: options.listen.map(parseAddress), bootstrap: () => named().map(parseAddress) })
  }
  checkNamed(rules)
  const own = createOwnAddresses(profile, rules, options.wasReached)
  const node = await startNode(
    {
      ...options,
      bootstrap: named,
      announced: () => own.announced(),
      mayConnect: (prefix) => budget.connect(prefix)
    },
    async (unstarted) => {
      // First: a listener that is told of a peer may read the count.
      connectedPeers = peerCount(unstarted)
      unstarted.addEventListener('peer:connect', ({ detail }) => {
        emit({ type: 'peer:connect', detail: { peer: detail.toString() } })
      })
      unstarted.addEventListener('peer:identify', ({ detail: { peerId, agentVersion } }) => {
        if (agentVersion !== undefined) agents.set(peerId.toString(), agentVersion.slice(0, MAX_AGENT))
      })
      unstarted.addEventListener('peer:disconnect', ({ detail }) => {
        agents.delete(detail.toString())
        emit({ type: 'peer:disconnect', detail: { peer: detail.toString() } })
      })
      const prefixes = createPrefixes(unstarted, profile)
      own.watch(unstarted, prefixes, onRole)
      whyConnecting = watchConnecting(unstarted, profile, bootstrap, unreachable)
      const patience = createPatience(unstarted)
      const offer = keepTable(unstarted, profile, prefixes)
      const isLongKnown = (origin: Origin): boolean => acquaintances.isLongKnown(origin)
      const finder = createFinder(unstarted, profile, prefixes, offer, isLongKnown, patience)
      parts = { prefixes, finder, patience }
      if (mode === 'full') await startServing(unstarted, finder)
    }
  )
  const { prefixes, finder, patience } = parts!
  const lookUps = createLookUps(node, finder, profile, prefixes)
  const mapped = (['IPv4', 'IPv6'] as const).map((version) =>
    keepPortMapped({
      timers,
      log,
      port: () => (options.mayMap() ? portToMap(rules, node.services.listening(), version) : undefined),
      family: version === 'IPv4' ? BY_IPV4 : BY_IPV6
    })
  )
  // By IPv6 the address is that of the machine itself.
  router.mapping = mapped[0]!
  const addresses = (): OwnAddress[] =>
    own.list().map((each) => ({ ...each, address: `${each.address}/p2p/${node.peerId.toString()}` }))
  const ends = [
    bootstrap.start(timers, () => addresses().map(({ address }) => address)),
    watchBootstrap(
      node,
      () => bootstrap.addresses(),
      metBefore,
      timers,
      (address, reason) => {
        unreachable.set(address, reason)
        // A peer of an earlier run may be gone permanently.
        if (bootstrap.addresses().includes(address))
          log.warn({ address, reason }, 'a bootstrap peer cannot be reached; it is tried again and again')
      }
    ),
    keepPlaces(node, profile),
    own.start(timers),
    node.services.table.onAdded(onKnown),
    keepAcquainted(node, acquaintances, { profile, prefixes, lookUps, timers }),
    discoverPeers(node, profile.k, lookUps, timers, log),
    refreshTable(node, lookUps, timers, log)
  ]

  return {
    peers: createPeers(node, profile, { lookUps, prefixes, acquaintances, patience }, penalise),
    connectedPeers: () => connectedPeers(),
    list: () => listPeers(node, prefixes, agents),
    prefixOf: (peer) => prefixes.known(peerIdFromString(peer)),
    addresses,
    role: () => own.role(),
    whyConnecting: () => whyConnecting(),
    dial: (address) => dialPeer(node, profile, address),
    contacts: () => contactsOf(node, profile),
    async setMode(next) {
      if (next === 'full') await startServing(node, finder)
      else await endServing?.()
    },
    hangUp(peer) {
      node.hangUp(peer).catch((error: unknown) => {
        log.debug({ err: error }, 'closing a connection failed')
      })
    },
    async close() {
      for (const end of ends) end()
      await Promise.all([node.stop(), ...mapped.map((each) => each.close())])
    }
  }
}

/** The number of connected peers. Libp2p scans all connections for it; this follows its events. */
export function peerCount(node: Node): () => number {
  const connected = new Set<string>()
  node.addEventListener('peer:connect', ({ detail }) => connected.add(detail.toString()))
  node.addEventListener('peer:disconnect', ({ detail }) => connected.delete(detail.toString()))
  return () => connected.size
}
