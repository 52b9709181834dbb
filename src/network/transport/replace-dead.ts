/**
 * A router that forgets a connection, or a machine that changes networks, leaves one that looks open for minutes. It is
 * replaced once another one to the same peer opens while it answers nothing. A line that stalls opens none, so it keeps
 * its connections and goes on with them.
 */
import type { Connection } from '@libp2p/interface'
import type { Node } from '../libp2p.ts'

/** A question without an answer for so long casts doubt on its connection; then the peer has as long to say who it is. */
const DOUBTFUL_MS = 2_000
const DIAL_MS = 5_000

/**
 * A younger one stays: where machines are too busy to answer in time, each replacement costs both a handshake, and those
 * of all peers keep them busy.
 */
const SETTLED_MS = 60_000

const doubted = new WeakSet<Connection>()

/** Watches a connection while it is asked; returns the function that ends that. */
export function watchAnswers(node: Node, connection: Connection): () => void {
  const timer = setTimeout(() => void replaceIfDead(node, connection), DOUBTFUL_MS)
  timer.unref()
  return () => clearTimeout(timer)
}

async function replaceIfDead(node: Node, connection: Connection): Promise<void> {
  if (doubted.has(connection) || Date.now() - connection.timeline.open < SETTLED_MS) return
  doubted.add(connection)
  const over = new AbortController()
  let hasAnswered = false
  const isAlive = (): boolean => hasAnswered
  const asked = node.services.identify
    .identify(connection, { signal: AbortSignal.any([over.signal, AbortSignal.timeout(DOUBTFUL_MS + DIAL_MS)]) })
    .then(() => (hasAnswered = true))
    .catch(() => undefined)
  try {
    await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, DOUBTFUL_MS).unref())])
    if (isAlive() || connection.status !== 'open') return
    const newer = await node.dial(connection.remotePeer, { force: true, signal: AbortSignal.timeout(DIAL_MS) })
    // It may have answered meanwhile.
    if (isAlive()) await newer.close()
    else connection.abort(new Error('it answers nothing, and a newer one is open'))
  } catch {
    // Nobody can be dialled: the line is down, or the peer.
  } finally {
    over.abort()
    doubted.delete(connection)
  }
}
