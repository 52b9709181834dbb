/** Dials the bootstrap peers and those met before whenever nobody is left: nodes made at the same time can miss each other for good otherwise. */
import { multiaddr } from '@multiformats/multiaddr'
import type { Node } from './node.ts'
import { tableSize } from './routing.ts'
import type { Timers } from './timers.ts'

/** How often the table is looked at. */
const WATCH_INTERVAL_MS = 2_000

/** Starts watching; returns the function that ends it. */
export function watchBootstrap(node: Node, addresses: () => readonly string[], timers: Timers): () => void {
  let dialing = false
  const redial = async (): Promise<void> => {
    dialing = true
    // Failures are expected here, and the next round is the cure.
    await Promise.allSettled(addresses().map((address) => node.dial(multiaddr(address), { force: tableSize(node) === 0 && isConnected(node, address) })))
    dialing = false
  }
  return timers.every(WATCH_INTERVAL_MS, () => {
    if (!dialing && tableSize(node) === 0) void redial()
  })
}

/** A peer can be connected and yet missing in the table, when its protocols came too late: a new connection asks again. */
function isConnected(node: Node, address: string): boolean {
  const peer = multiaddr(address).getComponents().findLast((component) => component.name === 'p2p')?.value
  return node.getPeers().some((connected) => connected.toString() === peer)
}
