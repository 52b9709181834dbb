/**
 * Dials the addresses of one peer so that they overlap (RFC 8305): libp2p gives each six seconds before it tries the
 * next one. A version of IP whose packets vanish costs a quarter of a second, and later connections nothing.
 */
import type { Connection, PeerId } from '@libp2p/interface'
import { CODE_P2P, type Multiaddr } from '@multiformats/multiaddr'
import type { Node } from '../libp2p.ts'
import { orAborted } from '../../util/concurrency.ts'
import { ipOf, knownAddresses } from './addresses.ts'

/** The next address is dialled when nothing has come back for so long, or no connection is set up for as long. */
const PAUSE_MS = { silent: 250, reached: 1_500 }

/** For all addresses. */
const DIAL_MS = 10_000

/** A version of IP that another one overtook is dialled last. */
const LAST_FOR_MS = 10 * 60_000

const overtaken = new WeakMap<Node, Map<boolean, number>>()

const isIPv6 = (address: Multiaddr): boolean => ipOf(address)?.includes(':') ?? false

/** A connection to the peer: the open one, else the first of those to its addresses. Rejects as libp2p's `dial`. */
export async function dialPeerAnywhere(node: Node, peer: PeerId, signal: AbortSignal): Promise<Connection> {
  if (node.getConnections(peer).length > 0) return node.dial(peer, { signal })
  const addresses = (await knownAddresses(node, peer)).map(({ multiaddr }) => multiaddr)
  return new Set(addresses.map(isIPv6)).size < 2 ? node.dial(peer, { signal }) : dialAll(node, peer, addresses, signal)
}

/**
 * Keeps the address at which this node reached a peer beside those that the peer names. A peer names none of use until
 * others have dialled it, as a first node of a network: with its connection it would be lost. Call before the node
 * starts.
 */
export function keepDialled(node: Node): void {
  node.addEventListener('peer:identify', ({ detail: { connection, peerId, listenAddrs, signedPeerRecord } }) => {
    const { direction, remoteAddr } = connection
    const dialled = remoteAddr.decapsulateCode(CODE_P2P)
    const named = signedPeerRecord?.addresses ?? listenAddrs
    if (direction === 'inbound' || named.some((address) => address.decapsulateCode(CODE_P2P).equals(dialled))) return
    // Fails as the node stops.
    node.peerStore.merge(peerId, { multiaddrs: [dialled] }).catch(() => undefined)
  })
}

/** Dials under way: several questions at the same time often meet the same peer. */
const dialling = new WeakMap<Node, Map<string, Promise<Connection>>>()

/** Dials these addresses alone. Rejects where another peer answers, too. */
export function dialAll(
  node: Node,
  peer: PeerId,
  addresses: readonly Multiaddr[],
  signal?: AbortSignal
): Promise<Connection> {
  const ofNode = dialling.get(node) ?? new Map<string, Promise<Connection>>()
  dialling.set(node, ofNode)
  const id = [peer, ...addresses].map(String).join(' ')
  const dialled = ofNode.get(id) ?? overlapping(node, peer, addresses).finally(() => ofNode.delete(id))
  ofNode.set(id, dialled)
  return signal === undefined ? dialled : orAborted(dialled, signal)
}

async function overlapping(node: Node, peer: PeerId, addresses: readonly Multiaddr[]): Promise<Connection> {
  const last = overtaken.get(node) ?? new Map<boolean, number>()
  overtaken.set(node, last)
  const isLast = (address: Multiaddr): boolean => performance.now() < (last.get(isIPv6(address)) ?? -Infinity)
  const sorted = addresses.toSorted((left, right) => Number(isLast(left)) - Number(isLast(right)))
  const over = new AbortController()
  const either = AbortSignal.any([over.signal, AbortSignal.timeout(DIAL_MS)])

  const dialFrom = async (index: number): Promise<Connection> => {
    const address = sorted[index]!
    const { promise: isNextDue, resolve } = Promise.withResolvers<undefined>()
    let timer = setTimeout(resolve, PAUSE_MS.silent, undefined)
    const dialled = dialOne(node, peer, address, either, () => {
      clearTimeout(timer)
      timer = setTimeout(resolve, PAUSE_MS.reached, undefined)
    })
    dialled.then(() => last.delete(isIPv6(address)), resolve).catch(() => undefined)
    const next = isNextDue.then(() => {
      if (sorted[index + 1] === undefined) return dialled
      either.throwIfAborted()
      return dialFrom(index + 1).then((connection) => {
        if (isIPv6(connection.remoteAddr) !== isIPv6(address))
          last.set(isIPv6(address), performance.now() + LAST_FOR_MS)
        return connection
      })
    })
    try {
      return await Promise.any([dialled, next])
    } catch (error) {
      throw (error as AggregateError).errors[0]
    } finally {
      clearTimeout(timer)
    }
  }
  try {
    return await dialFrom(0)
  } finally {
    over.abort()
  }
}

async function dialOne(
  node: Node,
  peer: PeerId,
  address: Multiaddr,
  signal: AbortSignal,
  onReached: () => void
): Promise<Connection> {
  // Without the peer's id: by that, libp2p would join it to the dial before.
  const connection = await node.dial(address.decapsulateCode(CODE_P2P), {
    signal,
    onProgress: ({ type }) => {
      if (type === 'upgrader:encrypt-outbound-connection') onReached()
    }
  })
  if (connection.remotePeer.equals(peer) && !signal.aborted) return connection
  connection.abort(new Error('another peer, or one too many'))
  throw new Error(`${address.toString()} does not match expected remote identity ${peer.toString()}`)
}
