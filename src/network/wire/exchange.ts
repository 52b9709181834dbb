/**
 * Both ends of an exchange. The answering one reads the requests of a stream in sequence, and writes the answer of each
 * one's handler. The asking one keeps idle streams for the next question.
 */
import type { Connection, PeerId, Stream } from '@libp2p/interface'
import { NativeError } from '../../native/types.ts'
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'
import { EncodingError, PartError } from '../../protocol/errors.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import { prefixOf } from '../transport/addresses.ts'
import { dialPeerAnywhere } from '../transport/dial.ts'
import { watchAnswers } from '../transport/replace-dead.ts'
import type { Budget } from '../budget/budget.ts'
import type { Node } from '../libp2p.ts'
import { ConcurrencyLimit } from '../../util/concurrency.ts'
import { BUSY, refused, UnknownRequest } from './answers.ts'
import {
  CutShort,
  FrameError,
  MAX_MESSAGE_BYTES,
  NoMessage,
  REQUEST_TIMEOUT_MS,
  RequestDeclined,
  closeStream,
  isOpen,
  readFrame,
  writeFrame,
  keepIdle,
  resting,
  takeIdle
} from './frame.ts'
import {
  decodeRequest,
  encodeMessage,
  registryProtocol,
  type Answer,
  type Exchange,
  type Request,
  type RequestType,
  decodeAnswer,
  type AnswerTo
} from './messages.ts'
import { channel } from 'node:diagnostics_channel'

/**
 * The next request of a stream begins within this time, or the stream ends. One of each peer rests instead, for as long
 * as its connection: to agree on the protocol again costs the next question a round trip. Either side keeps 12 KiB.
 */
const IDLE_STREAM_MS = 30_000

/** Streams served for one peer; further ones get `busy` at once. A silent one costs a few KiB. */
const MAX_OPEN_PER_PEER = 32

/** Streams of a connection: twice as many, so that the surplus can get `busy`. libp2p resets further ones. */
const MAX_INBOUND_STREAMS = 2 * MAX_OPEN_PER_PEER

/** Bytes of incomplete requests, in all and of one peer: a peer that never ends a request blocks only itself. */
const MAX_READING = { all: 512 * MAX_MESSAGE_BYTES, peer: 2 * MAX_MESSAGE_BYTES }

const MAX_WORKING = { all: 128, peer: 32 }

/** Puts among them: they wait for verification and for neighbours, whose requests must find places free. */
const MAX_PUTS = { all: 64, peer: 16 }

export interface Sender extends Origin {
  readonly id: PeerId
}

export type Handlers = {
  readonly [T in RequestType]: (
    request: Exchange[T]['request'],
    sender: Sender
  ) => Promise<Exchange[T]['answer']> | Exchange[T]['answer']
}

export interface ServeOptions {
  readonly node: Node
  readonly profile: NetworkProfile
  readonly handlers: Handlers
  readonly budget: Budget
  /** Called for bytes that are no request and for invalid records. */
  readonly penalise: (peer: PeerId, reason: string) => void
  /** A handler threw: a local fault (a full disk, say), not the peer's. */
  readonly onFault: (request: RequestType, error: unknown) => void
}

/** Starts answering; returns the function that ends it. Bytes from peers never make it throw. */
export async function serve(options: ServeOptions): Promise<() => Promise<void>> {
  const { node, profile } = options
  const protocol = registryProtocol(profile)
  const server = new Server(options)
  await node.handle(protocol, (stream, connection) => server.serve(stream, connection), {
    maxInboundStreams: MAX_INBOUND_STREAMS
  })
  return async () => {
    await node.unhandle(protocol)
    server.end()
  }
}

class Server {
  readonly #options: ServeOptions
  readonly #open = new ConcurrencyLimit(Infinity, MAX_OPEN_PER_PEER)
  readonly #reading = new ConcurrencyLimit(MAX_READING.all, MAX_READING.peer)
  readonly #working = new ConcurrencyLimit(MAX_WORKING.all, MAX_WORKING.peer)
  readonly #puts = new ConcurrencyLimit(MAX_PUTS.all, MAX_PUTS.peer)
  readonly #streams = new Set<Stream>()
  /** By peer. */
  readonly #resting = new Map<string, Stream>()

  constructor(options: ServeOptions) {
    this.#options = options
  }

  async serve(stream: Stream, connection: Connection): Promise<void> {
    const sender: Sender = {
      id: connection.remotePeer,
      peer: connection.remotePeer.toString(),
      prefix: prefixOf(connection.remoteAddr)
    }
    const close = this.#open.take(sender.peer)
    if (close === undefined) {
      await answerBusy(stream)
      return
    }
    this.#streams.add(stream)
    const limit = timeLimit(stream)
    let answers = 0
    try {
      limit.within(REQUEST_TIMEOUT_MS)
      do {
        const request = await this.#read(stream, sender, () => {
          if (answers === 0) return
          resting.delete(stream)
          limit.within(REQUEST_TIMEOUT_MS)
        })
        const answer = encodeMessage(
          request === undefined
            ? BUSY
            : request instanceof UnknownRequest
              ? refused('unknown', request.detail)
              : await this.#answer(request, sender)
        )
        this.#options.budget.answered(sender, answer.length)
        await writeFrame(stream, answer)
        answers++
        limit.within(IDLE_STREAM_MS, () => this.#rest(stream, sender))
        // A declined request is unread, so no later one can be found.
        if (request === undefined) break
      } while (isOpen(stream))
      await stream.close()
    } catch (error) {
      if (error instanceof NoMessage && answers > 0) {
        await closeStream(stream)
        return
      }
      // A stream that ends early or is reset is bad luck as often as bad will: its peer may have been killed.
      if (error instanceof EncodingError || (error instanceof FrameError && !(error instanceof CutShort)))
        this.#options.penalise(sender.id, error.message)
      stream.abort(error as Error)
    } finally {
      limit.end()
      this.#streams.delete(stream)
      if (this.#resting.get(sender.peer) === stream) this.#resting.delete(sender.peer)
      close()
    }
  }

  end(): void {
    for (const stream of this.#streams) stream.abort(new Error('this node answers no more'))
  }

  /** Whether it may: another one of this peer does not. */
  #rest(stream: Stream, { peer }: Sender): boolean {
    const rests = this.#resting.get(peer) ?? stream
    this.#resting.set(peer, rests)
    if (rests !== stream) return false
    resting.add(stream)
    return true
  }

  /** Undefined when the peer is to come back later. */
  async #read(stream: Stream, sender: Sender, onBegun: () => void): Promise<Request | UnknownRequest | undefined> {
    let end: (() => void) | undefined
    const admit = (bytes: number): boolean => {
      onBegun()
      if (!this.#options.budget.read(sender, bytes)) return false
      end = this.#reading.take(sender.peer, bytes)
      return end !== undefined
    }
    try {
      return decodeRequest(await readFrame(stream, admit))
    } catch (error) {
      if (error instanceof RequestDeclined) return undefined
      if (error instanceof UnknownRequest) return error
      throw error
    } finally {
      end?.()
    }
  }

  async #answer(request: Request, sender: Sender): Promise<Answer> {
    const places = [this.#working, ...(request.type === 'put' ? [this.#puts] : [])].map((each) =>
      each.take(sender.peer)
    )
    try {
      return places.includes(undefined) ? BUSY : await answerTo(request, sender, this.#options)
    } finally {
      for (const leave of places) leave?.()
    }
  }
}

async function answerTo(
  request: Request,
  sender: Sender,
  { handlers, penalise, onFault }: ServeOptions
): Promise<Answer> {
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
    await stream.close()
  } catch (error) {
    stream.abort(error as Error)
  }
}

interface TimeLimit {
  /** Aborts the stream after this many milliseconds, unless it `rests`. */
  within(milliseconds: number, rests?: () => boolean): void
  end(): void
}

function timeLimit(stream: Stream): TimeLimit {
  // Not AbortSignal.timeout, whose timer stays until it fires: one for each request of a flood.
  let timer: NodeJS.Timeout | undefined
  return {
    within(milliseconds, rests) {
      clearTimeout(timer)
      timer = setTimeout(() => {
        if (rests?.() !== true) stream.abort(new Error('the request took too long'))
      }, milliseconds)
      timer.unref()
    },
    end() {
      clearTimeout(timer)
    }
  }
}

/** Each question of this process that has had its answer, as `Exchanged`: for those who count from outside. */
export const EXCHANGES = channel('chronym:network:exchange')

export interface Exchanged {
  /** Who asked. */
  readonly from: PeerId
  readonly to: PeerId
  readonly request: Request
  readonly answer: Answer
}

/** No usable answer: unreachable, too slow, or not a message. */
export class AskError extends PartError<'network', 'no-answer'> {
  override readonly name = 'AskError'
  override readonly part = 'network'

  constructor(message: string, options?: ErrorOptions) {
    super('no-answer', message, options)
  }
}

export async function answerOrUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof AskError) return undefined
    throw error
  }
}

/** Sends a request to a peer and waits for its answer, 10 s in all. Rejects with AskError, or the signal's reason. */
export async function ask<R extends Request>(
  node: Node,
  peer: PeerId,
  request: R,
  profile: NetworkProfile,
  signal?: AbortSignal
): Promise<AnswerTo<R>> {
  const deadline = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
  const protocol = registryProtocol(profile)
  try {
    const connection = await dialPeerAnywhere(node, peer, either)
    const usable = await askOver(node, connection, protocol, request, either).catch(async (error: unknown) => {
      // It was dead; another one may be open in its place.
      if (either.aborted || connection.status === 'open') throw error
      return askOver(node, await dialPeerAnywhere(node, peer, either), protocol, request, either)
    })
    if (EXCHANGES.hasSubscribers) {
      const exchanged: Exchanged = { from: node.peerId, to: peer, request, answer: usable }
      EXCHANGES.publish(exchanged)
    }
    return usable
  } catch (error) {
    signal?.throwIfAborted()
    throw new AskError(`${peer.toString()} gave no answer: ${(error as Error).message}`, { cause: error })
  }
}

async function askOver<R extends Request>(
  node: Node,
  connection: Connection,
  protocol: string,
  request: R,
  signal: AbortSignal
): Promise<AnswerTo<R>> {
  const answered = watchAnswers(node, connection)
  try {
    const kept = takeIdle(connection, protocol)
    const answer = kept === undefined ? undefined : await askOverIdleStream(connection, kept, request, signal)
    return answer ?? (await exchange(connection, await connection.newStream(protocol, { signal }), request, signal))
  } finally {
    answered()
  }
}

/**
 * Undefined when the stream does not answer: the peer may have ended it meanwhile. Rejects with the signal's reason.
 */
async function askOverIdleStream<R extends Request>(
  connection: Connection,
  stream: Stream,
  request: R,
  signal: AbortSignal
): Promise<AnswerTo<R> | undefined> {
  try {
    return await exchange(connection, stream, request, signal)
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

async function exchange<R extends Request>(
  connection: Connection,
  stream: Stream,
  request: R,
  signal: AbortSignal
): Promise<AnswerTo<R>> {
  const abort = (): void => {
    stream.abort(signal.reason instanceof Error ? signal.reason : new Error('gave up'))
  }
  signal.addEventListener('abort', abort, { once: true })
  try {
    // Read before writing: an early `busy` must not be missed.
    const [bytes] = await Promise.all([readFrame(stream), writeFrame(stream, encodeMessage(request))])
    const answer = decodeAnswer(request, bytes)
    keepIdle(connection, stream)
    return answer
  } catch (error) {
    stream.abort(error as Error)
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
