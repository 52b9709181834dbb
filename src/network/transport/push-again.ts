/**
 * Tells peers what has changed of this node since they connected, such as that it answers now. Libp2p tells only those
 * that have said who they are. It tells nobody any more where it comes to one that has said nothing yet.
 */
import type { Connection } from '@libp2p/interface'
import type { Node } from '../libp2p.ts'

/** All peers are told: those that say who they are within this time share one telling. */
const TOGETHER_MS = 1_000

/** Call before the node starts. */
export function pushAgain(node: Node): void {
  let changes = 0
  let soon: NodeJS.Timeout | undefined
  /** The changes until then, of connections whose peer has not said who it is. */
  const opened = new WeakMap<Connection, number>()
  node.addEventListener('self:peer:update', () => {
    changes++
  })
  node.addEventListener('connection:open', ({ detail }) => {
    opened.set(detail, changes)
    // Libp2p ends its telling at a peer that the store does not have.
    void node.peerStore.merge(detail.remotePeer, {})
  })
  node.addEventListener('peer:identify', ({ detail: { connection } }) => {
    const before = opened.get(connection) ?? changes
    opened.delete(connection)
    if (before === changes) return
    soon ??= setTimeout(() => {
      soon = undefined
      void node.services.identifyPush.push()
    }, TOGETHER_MS).unref()
  })
}
