/** The libp2p node: TCP, noise, yamux, identify and ping. Finding peers and records is our own protocol's (wire/). */
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import { identify, identifyPush } from '@libp2p/identify'
import type { PeerId } from '@libp2p/interface'
import { ping } from '@libp2p/ping'
import { tcp, type TCPSocketOptions } from '@libp2p/tcp'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import type { NetworkProfile } from '../protocol/profile/profile.ts'
import { guardedLayers } from './transport/guard/guard.ts'
import type { Listening, Node } from './libp2p.ts'
import { compareUse, isLoopback } from './transport/addresses.ts'
import { CONNECTION_PLACES } from './routing/keep-places.ts'
import { keepDialled } from './transport/dial.ts'
import { gater } from './transport/gater.ts'
import { MAX_HALF_OPEN } from './transport/half-open.ts'
import { identifyAgain } from './transport/identify-again.ts'
import { pushAgain } from './transport/push-again.ts'
import { positionOf, RoutingTable } from './table.ts'
import { ListenError } from './types.ts'

/**
 * From here libp2p refuses newcomers, or closes by tags. keep-places.ts acts earlier; the margin is for pending
 * connections (half-open.ts has 160 in; 100 out) and those that take a second to close.
 */
const MAX_CONNECTIONS = 2 * CONNECTION_PLACES.all

/**
 * Connections a second from one address; libp2p's defaults (5, and 10 pending) stop a network on one machine from
 * forming.
 */
const INBOUND_CONNECTIONS_PER_SECOND = 100

/** Time to set up an inbound connection, with its wait for a turn (half-open.ts). libp2p waits 10 s. */
const INBOUND_UPGRADE_TIMEOUT_MS = 5_000

/**
 * Pings of open connections, which find those that died without a word. Either side pings, so something moves about
 * every 90 s, well within the four minutes after which some routers forget a connection. More often costs much: at 50
 * connections, libp2p's default of 10 s takes a quarter of a core, and yamux's own ping each 30 s as many bytes.
 */
const CONNECTION_PING_INTERVAL_MS = 3 * 60_000

/** A connection on which nothing moves for this long ends; libp2p has two minutes, less than from ping to ping. */
const SILENT_MS = 2 * CONNECTION_PING_INTERVAL_MS

/**
 * Time for the answer to such a ping. All go out at once: with libp2p's 5 s a machine that is busy, or was stopped for
 * a moment, ends all its connections, and the handshakes of the next ones keep it busy.
 */
const CONNECTION_PING_TIMEOUT_MS = 30_000

/**
 * Early streams that a peer may open before our side is set up; libp2p resets those beyond its default of 10, which a
 * first exchange can exceed.
 */
const MAX_EARLY_STREAMS = 64

/** A peer of the table may be named, and dialled, for a day after it last said where it listens. Libp2p has an hour. */
const MAX_ADDRESS_AGE_MS = 24 * 60 * 60_000

export interface NodeOptions {
  readonly profile: NetworkProfile
  /** 32 bytes: the seed of the node's Ed25519 key, which determines the peer id. */
  readonly nodeSeed: Uint8Array
  readonly listen: readonly string[]
  /**
   * The source IP address of connections, for a machine with several; by default the system chooses. Addresses of the
   * other IP version cannot be dialled then.
   */
  readonly dialFrom?: string | undefined
  /** Multiaddrs that the user names; they may change. */
  readonly bootstrap: () => readonly string[]
  /** The addresses of this node that peers are told; by default the private ones of those listened on. */
  readonly announced?: (() => readonly Multiaddr[]) | undefined
  readonly isBanned: (peer: PeerId) => boolean
  readonly mayConnect: (prefix: string) => boolean
  /** Name and version, as told to peers by identify. */
  readonly agent: string
}

/**
 * Creates and starts a node. `prepare` runs before its first connection. Throws ListenError when it cannot listen on an
 * address, or when the profile allows only loopback addresses.
 */
export async function startNode(options: NodeOptions, prepare?: (node: Node) => Promise<void>): Promise<Node> {
  const { profile } = options
  const loopbackOnly = profile.scope === 'loopback'
  const listen = options.listen.map(parseAddress)
  const bootstrap = () => options.bootstrap().map(parseAddress)
  for (const address of loopbackOnly ? [...listen, ...bootstrap()] : []) {
    if (!isLoopback(address))
      throw new ListenError(
        `network ${profile.id} is for this machine only: ${address.toString()} is not a loopback address`
      )
  }
  const services = {
    listening:
      ({ transportManager }: { transportManager: { getAddrs: Listening } }) =>
      () =>
        transportManager.getAddrs(),
    identify: identify({ runOnConnectionOpen: true }),
    identifyPush: identifyPush({ debounce: 0 }),
    ping: ping(),
    table: ({ peerId }: { peerId: PeerId }) => new RoutingTable(positionOf(peerId), profile)
  }
  const node = await createLibp2p({
    start: false,
    privateKey: await generateKeyPairFromSeed('Ed25519', options.nodeSeed),
    nodeInfo: { userAgent: options.agent },
    addresses: {
      listen: listen.map(String),
      announceFilter: announceFilter(options.announced, loopbackOnly)
    },
    transports: [
      tcp({
        dialOpts: dialOptions(options),
        inboundSocketInactivityTimeout: SILENT_MS,
        outboundSocketInactivityTimeout: SILENT_MS
      })
    ],
    ...guardedLayers({
      limits: profile,
      maxEarlyStreams: MAX_EARLY_STREAMS,
      keepAliveInterval: CONNECTION_PING_INTERVAL_MS
    }),
    connectionGater: gater({ ...options, listen, bootstrap }),
    connectionManager: {
      addressSorter: compareUse,
      maxConnections: MAX_CONNECTIONS,
      inboundConnectionThreshold: INBOUND_CONNECTIONS_PER_SECOND,
      maxIncomingPendingConnections: MAX_HALF_OPEN,
      inboundUpgradeTimeout: INBOUND_UPGRADE_TIMEOUT_MS
    },
    connectionMonitor: {
      pingInterval: CONNECTION_PING_INTERVAL_MS,
      pingTimeout: { minTimeout: CONNECTION_PING_TIMEOUT_MS }
    },
    peerStore: { maxAddressAge: MAX_ADDRESS_AGE_MS },
    services
  })
  identifyAgain(node)
  pushAgain(node)
  keepDialled(node)
  await prepare?.(node)
  try {
    await node.start()
  } catch (error) {
    await node.stop()
    throw new ListenError(
      `cannot listen on ${listen.join(', ')} for peers: ${listenFault(error as Error)}. ` +
        'Choose other addresses with --listen.',
      { cause: error }
    )
  }
  return node
}

/** Libp2p offers what listens at private addresses, and has no way to confirm any other. */
function announceFilter(announced: NodeOptions['announced'], loopbackOnly: boolean) {
  return (offered: Multiaddr[]): Multiaddr[] =>
    announced === undefined ? (loopbackOnly ? offered.filter(isLoopback) : offered) : [...announced()]
}

/** The transport passes all options to net.connect; its own type names a part. */
function dialOptions({ dialFrom }: Pick<NodeOptions, 'dialFrom'>): TCPSocketOptions & { localAddress?: string } {
  return dialFrom === undefined ? {} : { localAddress: dialFrom }
}

/**
 * libp2p's message holds advice for programmers and a stack; users need the reason, such as "EADDRINUSE: address
 * already in use 127.0.0.1:7469".
 */
function listenFault({ message }: Error): string {
  return /\b(E[A-Z]+: [^\n]+)/.exec(message)?.[1] ?? message.split(/,|\n/, 1)[0]!
}

export function parseAddress(text: string): Multiaddr {
  try {
    return multiaddr(text)
  } catch (error) {
    throw new ListenError(`"${text}" is not a multiaddr such as /ip4/127.0.0.1/tcp/7469: ${(error as Error).message}`, {
      cause: error
    })
  }
}
