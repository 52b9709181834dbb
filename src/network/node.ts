/**
 * The libp2p node: TCP, noise, yamux, identify, ping and kad-dht, which only finds peers. Records have their own
 * protocol.
 */
import { bootstrap } from '@libp2p/bootstrap'
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import { identify, identifyPush } from '@libp2p/identify'
import type { PeerId } from '@libp2p/interface'
import { kadDHT, passthroughMapper } from '@libp2p/kad-dht'
import { noise } from '@libp2p/noise'
import { ping } from '@libp2p/ping'
import { tcp, type TCPSocketOptions } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr, type Multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { toHex } from '../protocol/encoding/bytes.ts'
import type { Origin } from '../protocol/neighbourhood/diversity.ts'
import { profileHash, type NetworkProfile } from '../protocol/profile/profile.ts'
import type { Listening, Node } from './libp2p.ts'
import { compareUse, isLoopback } from './transport/addresses.ts'
import { CONNECTION_PLACES } from './transport/connection-places.ts'
import { gater } from './transport/gater.ts'
import { MAX_HALF_OPEN } from './transport/half-open.ts'
import { disableKeepAlive } from './kad/keep-alive.ts'
import { deepenNearOurselves } from './kad/near-table.ts'
import { addConnectedPeers } from './kad/connected-peers.ts'
import { limitRequests } from './kad/requests.ts'
import { ListenError, type NetworkMode } from './types.ts'

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

/** Kad-dht's own look-ups, which refresh its table: peers asked at a time, and disjoint paths. look-up.ts has ours. */
const DHT_ALPHA = 3
const DHT_DISJOINT_PATHS = 2

/** Pings of open connections; at 50 connections libp2p's default of 10 s costs a quarter of a core. */
const CONNECTION_PING_INTERVAL_MS = 60_000

/**
 * Early streams that a peer may open before our side is set up; libp2p resets those beyond its default of 10, which a
 * first exchange can exceed.
 */
const MAX_EARLY_STREAMS = 64

const INITIAL_SELF_QUERY_MS = 100

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
  readonly bootstrap: readonly string[]
  /** The addresses of this node that peers are told; by default the private ones of those listened on. */
  readonly announced?: (() => readonly Multiaddr[]) | undefined
  readonly mode: Exclude<NetworkMode, 'offline'>
  readonly isBanned: (peer: PeerId) => boolean
  readonly mayConnect: (prefix: string) => boolean
  /** Charges a request to kad-dht; false over budget. */
  readonly mayAsk: (sender: Origin) => boolean
  /** Name and version, as told to peers by identify. */
  readonly agent: string
}

/**
 * Creates and starts a node; a light one answers no look-ups. `prepare` runs before its first connection.
 * Throws ListenError when it cannot listen on an address, or when the profile allows only loopback addresses.
 */
export async function startNode(options: NodeOptions, prepare?: (node: Node) => Promise<void>): Promise<Node> {
  const { profile, mode } = options
  const loopbackOnly = profile.scope === 'loopback'
  const listen = options.listen.map(parseAddress)
  const bootstrapAddresses = options.bootstrap.map(parseAddress)
  for (const address of loopbackOnly ? [...listen, ...bootstrapAddresses] : []) {
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
    dht: kadDHT({
      protocol: dhtProtocol(profile),
      clientMode: mode === 'light',
      // Accepts private and loopback addresses; the profile decides which may be used.
      peerInfoMapper: passthroughMapper,
      kBucketSize: profile.k,
      alpha: DHT_ALPHA,
      disjointPaths: DHT_DISJOINT_PATHS,
      // Otherwise a query waits up to 180 s for a first peer; routing.ts checks the table first.
      allowQueryWithZeroPeers: true,
      initialQuerySelfInterval: INITIAL_SELF_QUERY_MS
    })
  }
  const node = await createLibp2p({
    start: false,
    privateKey: await generateKeyPairFromSeed('Ed25519', options.nodeSeed),
    nodeInfo: { userAgent: options.agent },
    addresses: {
      listen: listen.map(String),
      announceFilter: announceFilter(options.announced, loopbackOnly)
    },
    transports: [tcp({ dialOpts: dialOptions(options) })],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux({ maxEarlyStreams: MAX_EARLY_STREAMS })],
    connectionGater: gater({ ...options, listen, bootstrap: bootstrapAddresses }),
    connectionManager: {
      addressSorter: compareUse,
      maxConnections: MAX_CONNECTIONS,
      inboundConnectionThreshold: INBOUND_CONNECTIONS_PER_SECOND,
      maxIncomingPendingConnections: MAX_HALF_OPEN,
      inboundUpgradeTimeout: INBOUND_UPGRADE_TIMEOUT_MS
    },
    connectionMonitor: { pingInterval: CONNECTION_PING_INTERVAL_MS },
    // It stores the addresses before it dials: kad-dht skips a connected peer without a stored address.
    peerDiscovery:
      bootstrapAddresses.length === 0 ? [] : [bootstrap({ list: bootstrapAddresses.map(String), timeout: 0 })],
    services
  })
  deepenNearOurselves(node)
  disableKeepAlive(node)
  addConnectedPeers(node)
  limitRequests(node, options.mayAsk)
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

/** Nodes of other profiles do not even route for each other. */
export function dhtProtocol(profile: NetworkProfile): string {
  return `/chronym/${toHex(profileHash(profile))}/kad/3`
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
