import type { Identify, IdentifyPush } from '@libp2p/identify'
import type { Libp2p } from '@libp2p/interface'
import type { Ping } from '@libp2p/ping'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { RoutingTable } from './table.ts'

/** The addresses listened on now: for a wildcard, those of the interfaces. */
export type Listening = () => Multiaddr[]

export type Node = Libp2p<{
  identify: Identify
  identifyPush: IdentifyPush
  ping: Ping
  table: RoutingTable
  listening: Listening
}>
