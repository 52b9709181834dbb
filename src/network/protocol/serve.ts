/** The side that answers: reads one request a stream, hands it to its handler, writes one answer. */
import type { Connection, PeerId, Stream } from '@libp2p/interface'
import { NativeError } from '../../native/errors.ts'
import type { Origin } from '../../protocol/diversity.ts'
import { EncodingError } from '../../protocol/errors.ts'
import type { NetworkProfile } from '../../protocol/profile.ts'
import { prefixOf } from '../addresses.ts'
import type { Budget } from '../budget.ts'
import type { Node } from '../node.ts'
import { Places } from '../places.ts'
import { BUSY } from './answers.ts'
import { FrameError, MAX_MESSAGE_BYTES, readFrame, REQUEST_TIMEOUT_MS, RequestDeclined, writeFrame } from './frame.ts'
import { decodeRequest, encodeMessage, registryProtocol, type Answer, type Exchange, type Request, type RequestType } from './messages.ts'

/** Streams of a peer that are served; beyond it the peer is told `busy` at once. One that says nothing costs a few KiB. */
const MAX_OPEN_PER_PEER = 32

/** Streams of a connection: twice as many, so that the rest can be told `busy`. libp2p resets what is beyond. */
const MAX_INBOUND_STREAMS = 2 * MAX_OPEN_PER_PEER

/** Bytes of requests that have begun to come, in all and of one peer: whoever never ends a request takes places from nobody but itself. */
const MAX_READING = { all: 512 * MAX_MESSAGE_BYTES, peer: 2 * MAX_MESSAGE_BYTES }

/** Requests worked on, in all and of one peer. */
const MAX_WORKING = { all: 128, peer: 32 }

/** Puts among them: they wait for verification and for the answers of neighbours, which must not find all places taken by puts. */
const MAX_PUTS = { all: 64, peer: 16 }

/** Whom a request comes from. */
export interface Sender extends Origin {
  readonly id: PeerId
}

export type Handlers = {
  readonly [T in RequestType]: (request: Exchange[T]['request'], sender: Sender) => Promise<Exchange[T]['answer']> | Exchange[T]['answer']
}

export interface ServeOptions {
  readonly node: Node
  readonly profile: NetworkProfile
  readonly handlers: Handlers
  readonly budget: Budget
  /** Called for bytes that are no request and for records that are not valid. */
  readonly penalise: (peer: PeerId, reason: string) => void
  /** A handler threw: a fault of ours (a full disk, say), not of the peer. */
  readonly onFault: (request: RequestType, error: unknown) => void
}

/** Begins to answer. Whatever a peer sends, nothing is thrown out of the handler. */
export async function serve(options: ServeOptions): Promise<void> {
  const server = new Server(options)
  await options.node.handle(registryProtocol(options.profile), (stream, connection) => server.serve(stream, connection), { maxInboundStreams: MAX_INBOUND_STREAMS })
}

class Server {
  readonly #options: ServeOptions
  readonly #open = new Places(Infinity, MAX_OPEN_PER_PEER)
  readonly #reading = new Places(MAX_READING.all, MAX_READING.peer)
  readonly #working = new Places(MAX_WORKING.all, MAX_WORKING.peer)
  readonly #puts = new Places(MAX_PUTS.all, MAX_PUTS.peer)

  constructor(options: ServeOptions) {
    this.#options = options
  }

  async serve(stream: Stream, connection: Connection): Promise<void> {
    const sender: Sender = { id: connection.remotePeer, peer: connection.remotePeer.toString(), prefix: prefixOf(connection.remoteAddr) }
    const close = this.#open.take(sender.peer)
    if (close === undefined) {
      await answerBusy(stream)
      return
    }
    const deadline = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
    const abort = (): void => {
      stream.abort(new Error('the request took too long'))
    }
    deadline.addEventListener('abort', abort, { once: true })
    try {
      const request = await this.#read(stream, sender)
      const answer = encodeMessage(request === undefined ? BUSY : await this.#answer(request, sender))
      this.#options.budget.answered(sender, answer.length)
      await writeFrame(stream, answer)
    } catch (error) {
      // What the stream itself throws (reset, deadline) is bad luck as often as bad will.
      if (error instanceof EncodingError || error instanceof FrameError) this.#options.penalise(sender.id, error.message)
      stream.abort(error as Error)
    } finally {
      deadline.removeEventListener('abort', abort)
      close()
    }
  }

  /** Undefined when the peer is to come back later. */
  async #read(stream: Stream, sender: Sender): Promise<Request | undefined> {
    let end: (() => void) | undefined
    const admit = (bytes: number): boolean => {
      if (!this.#options.budget.read(sender, bytes)) return false
      end = this.#reading.take(sender.peer, bytes)
      return end !== undefined
    }
    try {
      return decodeRequest(await readFrame(stream, admit))
    } catch (error) {
      if (error instanceof RequestDeclined) return undefined
      throw error
    } finally {
      end?.()
    }
  }

  async #answer(request: Request, sender: Sender): Promise<Answer> {
    const places = [this.#working, ...(request.type === 'put' ? [this.#puts] : [])].map((each) => each.take(sender.peer))
    try {
      return places.includes(undefined) ? BUSY : await answerTo(request, sender, this.#options)
    } finally {
      for (const leave of places) leave?.()
    }
  }
}

async function answerTo(request: Request, sender: Sender, { handlers, penalise, onFault }: ServeOptions): Promise<Answer> {
  try {
    const handler = handlers[request.type] as (request: Request, sender: Sender) => Promise<Answer> | Answer
    const answer = await handler(request, sender)
    if (answer.type === 'refused' && answer.code === 'invalid') penalise(sender.id, answer.detail)
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
