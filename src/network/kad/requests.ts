/**
 * Answers look-ups and pings of kad-dht, and nothing else. Kad-dht keeps what ADD_PROVIDER names in memory, without a
 * bound, and searches all of it for GET_PROVIDERS. Records have their own protocol (wire/), with a budget.
 */
import type { Connection, PeerId, Stream } from '@libp2p/interface'
import type { KadDHT } from '@libp2p/kad-dht'
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'
import type { Node } from '../libp2p.ts'
import { prefixOf } from '../transport/addresses.ts'

/** Kad-dht opens a stream for each request; one takes some 50 bytes. It would collect 4 MiB before it looks. */
export const MAX_STREAM_BYTES = 512

/** As in kad-dht's rpc/index.js. */
interface Rpc {
  handlers: Record<string, unknown>
  handleMessage(peer: PeerId, message: unknown): Promise<unknown>
  onIncomingStream(stream: Stream, connection: Connection): Promise<void>
}

/** Call before the node starts. `mayAsk` charges a request; false over budget. What is refused ends its stream. */
export function limitRequests(node: Node, mayAsk: (sender: Origin) => boolean): void {
  const { rpc } = node.services.dht as KadDHT & { rpc: Rpc }
  const { FIND_NODE, PING } = rpc.handlers
  rpc.handlers = { FIND_NODE, PING }
  const answer = rpc.handleMessage.bind(rpc)
  rpc.handleMessage = async (peer, message) => {
    const [connection] = node.getConnections(peer)
    if (connection === undefined || !mayAsk({ peer: peer.toString(), prefix: prefixOf(connection.remoteAddr) }))
      throw new Error('this peer asks more than its share')
    return answer(peer, message)
  }
  const serve = rpc.onIncomingStream.bind(rpc)
  rpc.onIncomingStream = (stream, connection) => {
    let bytes = 0
    stream.addEventListener('message', ({ data }) => {
      bytes += data.byteLength
      if (bytes > MAX_STREAM_BYTES) stream.abort(new Error(`more than ${MAX_STREAM_BYTES} bytes of requests`))
    })
    return serve(stream, connection)
  }
}
