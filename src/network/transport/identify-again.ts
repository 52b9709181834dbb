/**
 * Asks a peer again who it is. Libp2p asks once, as a connection opens, and on a busy machine five seconds may pass
 * without an answer. Such a peer would stay connected, and in no routing table.
 */
import type { Connection } from '@libp2p/interface'
import { doubled } from '../../util/backoff.ts'
import type { Node } from '../libp2p.ts'

/** Above the time of libp2p's own try; doubled after each. */
const FIRST_PAUSE_MS = 6_000
const LONGEST_PAUSE_MS = 60 * 60_000

/** Call before the node starts. */
export function identifyAgain(node: Node, firstPauseMs = FIRST_PAUSE_MS): void {
  const timers = new WeakMap<Connection, NodeJS.Timeout>()
  const end = (connection: Connection): void => clearTimeout(timers.get(connection))
  const wait = (connection: Connection, failures: number): void => {
    const again = (): void => {
      node.services.identify.identify(connection).catch(() => {
        if (connection.status === 'open') wait(connection, failures + 1)
      })
    }
    timers.set(connection, setTimeout(again, doubled(firstPauseMs, LONGEST_PAUSE_MS, failures)).unref())
  }
  node.addEventListener('connection:open', ({ detail }) => wait(detail, 0))
  node.addEventListener('connection:close', ({ detail }) => end(detail))
  node.addEventListener('peer:identify', ({ detail }) => end(detail.connection))
}
