import { channel } from 'node:diagnostics_channel'
import type { Connection, PeerId, Stream } from '@libp2p/interface'
import { PartError } from '../../protocol/errors.ts'
import type { NetworkProfile } from '../../protocol/profile/profile.ts'
import type { Node } from '../libp2p.ts'
import { REQUEST_TIMEOUT_MS, keepIdle, readFrame, takeIdle, writeFrame } from './frame.ts'
import { decodeAnswer, encodeMessage, registryProtocol, type Answer, type AnswerTo, type Request } from './messages.ts'

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
    const connection = await node.dial(peer, { signal: either })
    const kept = takeIdle(connection, protocol)
    const answer = kept === undefined ? undefined : await askOverIdleStream(connection, kept, request, either)
    const usable =
      answer ?? (await exchange(connection, await connection.newStream(protocol, { signal: either }), request, either))
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
