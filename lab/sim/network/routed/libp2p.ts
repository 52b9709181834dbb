/**
 * As much of libp2p as `src/network` uses to find peers: dialling, connections, identify, and the addresses of peers.
 * Its methods and events are libp2p's; TCP, noise and yamux are three round trips.
 */
import type { Address, Connection, PeerId } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { Node } from '../../../../src/network/libp2p.ts'
import { positionOf, RoutingTable } from '../../../../src/network/table.ts'
import { registryProtocol } from '../../../../src/network/wire/messages.ts'
import { systemClock } from '../../../../src/time/clock.ts'
import { CONNECTION_PLACES } from '../../../../src/network/routing/keep-places.ts'
import type { NodePort, WorldPort } from '../../ports.ts'
import type { Places } from './places.ts'

/** Round trips of TCP, noise and yamux. */
const TRIPS_OF_A_DIAL = 3

/** Time for an address, and for all addresses of a peer: libp2p's own. */
const ADDRESS_TIMEOUT_MS = 5_000
const DIAL_TIMEOUT_MS = 10_000

interface SimConnection extends Pick<Connection, 'remotePeer' | 'remoteAddr' | 'direction' | 'close'> {
  readonly other: SimLibp2p
}

/** A world whose nodes find their peers by themselves. */
export type RoutedWorld = WorldPort & { readonly places: Places<SimLibp2p> }

type Target = PeerId | Multiaddr | readonly Multiaddr[]

export class SimLibp2p extends EventTarget {
  readonly peerId: PeerId
  readonly sim: NodePort
  readonly services: { readonly table: RoutingTable }
  readonly peerStore: Pick<Node['peerStore'], 'delete'> & { get(peer: PeerId): Promise<{ addresses: Address[] }> }
  /** Where it listens; clients do not. */
  readonly address: Multiaddr
  /** Where identify says that it listens. */
  announced: readonly Multiaddr[]
  readonly #world: RoutedWorld
  readonly #connections = new Map<string, SimConnection[]>()
  readonly #addresses = new Map<string, readonly Multiaddr[]>()
  readonly #dials = new Map<string, Promise<SimConnection>>()
  #open = 0

  constructor(world: RoutedWorld, sim: NodePort) {
    super()
    this.#world = world
    this.sim = sim
    this.peerId = sim.peer.id
    this.address = world.places.free(sim.peer.prefix)
    const listens = sim.isListed || sim.isPassive
    this.announced = listens ? [this.address] : []
    if (listens) world.places.listen(this.address, this)
    this.services = { table: new RoutingTable(positionOf(this.peerId), world.profile) }
    this.peerStore = {
      get: async (peer) => {
        const addresses = this.#addresses.get(peer.toString())
        if (addresses === undefined) throw Object.assign(new Error('not found'), { name: 'NotFoundError' })
        return Promise.resolve({ addresses: addresses.map((each) => ({ multiaddr: each, isCertified: false })) })
      },
      delete: async (peer) => {
        this.#addresses.delete(peer.toString())
        await Promise.resolve()
      }
    }
  }

  /** It, as `src/network` takes it. */
  get node(): Node {
    return this as unknown as Node
  }

  getConnections(peer?: PeerId): readonly SimConnection[] {
    return peer === undefined ? [...this.#connections.values()].flat() : (this.#connections.get(peer.toString()) ?? [])
  }

  isDialable(): Promise<boolean> {
    return Promise.resolve(true)
  }

  /** Rejects where nobody answers, 10 s later at most, or with the signal's reason. */
  async dial(target: Target, { signal }: { readonly signal?: AbortSignal } = {}): Promise<SimConnection> {
    if ('toMultihash' in target) {
      const id = target.toString()
      const open = this.#connections.get(id)?.[0]
      if (open !== undefined) return open
      const dialled = this.#dials.get(id) ?? this.#dialAny(this.#addresses.get(id) ?? [], target, signal)
      this.#dials.set(id, dialled)
      try {
        return await dialled
      } finally {
        this.#dials.delete(id)
      }
    }
    return this.#dialAny('getComponents' in target ? [target] : target, undefined, signal)
  }

  /** Meets a peer that it was connected with before the run began, and that enters its table while it is. */
  async meet(other: SimLibp2p, enters: () => Promise<void>): Promise<void> {
    const connection = this.#connection(other, other.address, 'outbound')
    this.#addresses.set(other.peerId.toString(), other.announced)
    this.#connections.set(other.peerId.toString(), [connection])
    this.dispatchEvent(new CustomEvent('connection:open', { detail: connection }))
    await enters()
    this.#connections.delete(other.peerId.toString())
  }

  /** Somebody connects and hangs up again. Nothing else of them is simulated. */
  passBy(peer: PeerId, from: Multiaddr): void {
    this.dispatchEvent(new CustomEvent('connection:open', { detail: { remotePeer: peer, remoteAddr: from } }))
  }

  hangUpAll(): void {
    for (const connection of this.getConnections()) void connection.close()
  }

  async #dialAny(addresses: readonly Multiaddr[], peer: PeerId | undefined, signal?: AbortSignal) {
    const untilMs = this.#world.timeline.nowMs + DIAL_TIMEOUT_MS
    for (const address of addresses) {
      const leftMs = untilMs - this.#world.timeline.nowMs
      if (leftMs <= 0) break
      const connection = await this.#connect(address, Math.min(leftMs, ADDRESS_TIMEOUT_MS), signal)
      if (connection !== undefined && (peer === undefined || connection.remotePeer.equals(peer))) return connection
    }
    throw new Error('nobody answers at any of the addresses')
  }

  async #connect(address: Multiaddr, timeoutMs: number, signal?: AbortSignal): Promise<SimConnection | undefined> {
    const place = this.#world.places.at(address)
    const reaches = (): boolean => place !== undefined && this.#world.transport.reaches(this.sim, place.node.sim)
    if (place === undefined || !reaches()) {
      await systemClock.sleep(timeoutMs, signal)
      return undefined
    }
    const { node, isRelay } = place
    await systemClock.sleep(this.#tripMs(TRIPS_OF_A_DIAL), signal)
    if (!reaches()) return undefined
    const [here, there] = [
      this.#connection(node, address, 'outbound'),
      node.#connection(this, isRelay ? address : this.address, 'inbound')
    ]
    const close = async (): Promise<void> => {
      this.#drop(here)
      node.#drop(there)
      await Promise.resolve()
    }
    here.close = close
    there.close = close
    this.#add(here)
    node.#add(there)
    this.#world.timeline.after(this.#tripMs(1), () => {
      this.#identified(here)
      node.#identified(there)
    })
    return here
  }

  #tripMs(trips: number): number {
    let wait = 0
    for (let way = 0; way < 2 * trips; way++) wait += this.#world.faults.delayMs()
    return wait
  }

  #connection(other: SimLibp2p, remoteAddr: Multiaddr, direction: 'inbound' | 'outbound'): SimConnection {
    return { other, remotePeer: other.peerId, remoteAddr, direction, close: () => Promise.resolve() }
  }

  /** Beyond the places of a node the oldest connection ends. */
  #add(connection: SimConnection): void {
    const id = connection.remotePeer.toString()
    this.#connections.set(id, [...(this.#connections.get(id) ?? []), connection])
    this.#open++
    this.dispatchEvent(new CustomEvent('connection:open', { detail: connection }))
    if (this.#open > CONNECTION_PLACES.all) void [...this.#connections.values()][0]![0]!.close()
  }

  #drop(connection: SimConnection): void {
    const id = connection.remotePeer.toString()
    const before = this.#connections.get(id) ?? []
    const left = before.filter((each) => each !== connection)
    if (left.length === before.length) return
    this.#open--
    if (left.length > 0) this.#connections.set(id, left)
    else this.#connections.delete(id)
    this.dispatchEvent(new CustomEvent('connection:close', { detail: connection }))
    if (left.length === 0) this.dispatchEvent(new CustomEvent('peer:disconnect', { detail: connection.remotePeer }))
  }

  #identified(connection: SimConnection): void {
    const { remotePeer, other } = connection
    if (!this.getConnections(remotePeer).includes(connection)) return
    const listenAddrs = other.announced
    if (listenAddrs.length > 0) this.#addresses.set(remotePeer.toString(), listenAddrs)
    const protocols = other.sim.isListed ? [registryProtocol(this.#world.profile)] : []
    this.dispatchEvent(
      new CustomEvent('peer:identify', { detail: { peerId: remotePeer, connection, listenAddrs, protocols } })
    )
  }
}
