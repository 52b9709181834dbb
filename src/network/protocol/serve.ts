/** The side that answers: reads one request a stream, hands it to its handler, writes one answer. */
import type { Connection, PeerId, Stream } from '@libp2p/interface'
import { NativeError } from '../../native/errors.ts'
import { EncodingError } from '../../protocol/errors.ts'
import type { NetworkProfile } from '../../protocol/profile.ts'
import { prefixOf } from '../addresses.ts'
import type { Node } from '../node.ts'
import { BUSY } from './answers.ts'
import { FrameError, readFrame, REQUEST_TIMEOUT_MS, writeFrame } from './frame.ts'
import { decodeRequest, encodeMessage, registryProtocol, type Answer, type Exchange, type Request, type RequestType } from './messages.ts'

/** Requests worked on at once, in all and of one peer; beyond it peers are told `busy` at once. An idle one costs a few KiB. */
const MAX_CONCURRENT = 128
const MAX_CONCURRENT_PER_PEER = 32

/** Puts among them: they wait for verification and for the answers of neighbours, which must not find all places taken by puts. */
const MAX_CONCURRENT_PUTS = 32

/** Streams of a connection: twice those that are worked on, so that the rest can be told `busy`. libp2p resets what is beyond. */
const MAX_INBOUND_STREAMS = 2 * MAX_CONCURRENT_PER_PEER

/** Whom a request comes from. */
export interface Sender {
  readonly peer: PeerId
  /** /24 or /48, see addresses.ts. */
  readonly prefix: string
}

export type Handlers = {
  readonly [T in RequestType]: (request: Exchange[T]['request'], sender: Sender) => Promise<Exchange[T]['answer']> | Exchange[T]['answer']
}

export interface ServeOptions {
  readonly node: Node
  readonly profile: NetworkProfile
  readonly handlers: Handlers
  /** Called for bytes that are no request and for records that are not valid. */
  readonly penalise: (peer: PeerId, reason: string) => void
  /** A handler threw: a fault of ours (a full disk, say), not of the peer. */
  readonly onFault: (request: RequestType, error: unknown) => void
}

/** Begins to answer. Whatever a peer sends, nothing is thrown out of the handler. */
export async function serve(options: ServeOptions): Promise<void> {
  const running = new Map<string, number>()
  let total = 0
  let puts = 0
  const handle = async (request: Request, sender: Sender): Promise<Answer> => {
    if (request.type !== 'put') return answerTo(request, sender, options)
    if (puts >= MAX_CONCURRENT_PUTS) return BUSY
    puts++
    try {
      return await answerTo(request, sender, options)
    } finally {
      puts--
    }
  }
  await options.node.handle(
    registryProtocol(options.profile),
    async (stream, connection) => {
      const peer = connection.remotePeer.toString()
      const ofPeer = running.get(peer) ?? 0
      if (total >= MAX_CONCURRENT || ofPeer >= MAX_CONCURRENT_PER_PEER) {
        await answerBusy(stream)
        return
      }
      total++
      running.set(peer, ofPeer + 1)
      try {
        await serveStream(stream, connection, handle, options.penalise)
      } finally {
        total--
        const left = (running.get(peer) ?? 1) - 1
        if (left === 0) running.delete(peer)
        else running.set(peer, left)
      }
    },
    { maxInboundStreams: MAX_INBOUND_STREAMS }
  )
}

async function serveStream(
  stream: Stream,
  connection: Connection,
  handle: (request: Request, sender: Sender) => Promise<Answer>,
  penalise: ServeOptions['penalise']
): Promise<void> {
  const deadline = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  const abort = (): void => {
    stream.abort(new Error('the request took too long'))
  }
  deadline.addEventListener('abort', abort, { once: true })
  try {
    const request = decodeRequest(await readFrame(stream))
    const sender = { peer: connection.remotePeer, prefix: prefixOf(connection.remoteAddr) }
    await writeFrame(stream, encodeMessage(await handle(request, sender)))
  } catch (error) {
    // What the stream itself throws (reset, deadline) is bad luck as often as bad will.
    if (error instanceof EncodingError || error instanceof FrameError) penalise(connection.remotePeer, error.message)
    stream.abort(error as Error)
  } finally {
    deadline.removeEventListener('abort', abort)
  }
}

async function answerTo(request: Request, sender: Sender, { handlers, penalise, onFault }: ServeOptions): Promise<Answer> {
  try {
    const handler = handlers[request.type] as (request: Request, sender: Sender) => Promise<Answer> | Answer
    const answer = await handler(request, sender)
    if (answer.type === 'refused' && answer.code === 'invalid') penalise(sender.peer, answer.detail)
    return answer
  } catch (error) {
    if (!(error instanceof NativeError && error.code === 'POOL_BUSY')) onFault(request.type, error)
    return BUSY
  }
}

async function answerBusy(stream: Stream): Promise<void> {
  try {
    await writeFrame(stream, encodeMessage(BUSY))
  } catch (error) {
    stream.abort(error as Error)
  }
}
