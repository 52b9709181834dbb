import type { PeerId } from '@libp2p/interface'
import type { NetworkProfile } from '../../protocol/profile.ts'
import type { Node } from '../node.ts'
import { REQUEST_TIMEOUT_MS, readFrame, writeFrame } from './frame.ts'
import { decodeAnswer, encodeMessage, registryProtocol, type AnswerTo, type Request } from './messages.ts'

/** The peer gave no answer that can be used: unreachable, too slow, or not a message. */
export class AskError extends Error {
  override readonly name = 'AskError'
}

/** Sends a request to a peer and waits for its answer, 10 s in all. Rejects with AskError, or with the signal's reason. */
export async function ask<R extends Request>(node: Node, peer: PeerId, request: R, profile: NetworkProfile, signal?: AbortSignal): Promise<AnswerTo<R>> {
  const deadline = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
  try {
    const stream = await node.dialProtocol(peer, registryProtocol(profile), { signal: either })
    const abort = (): void => {
      stream.abort(either.reason instanceof Error ? either.reason : new Error('gave up'))
    }
    either.addEventListener('abort', abort, { once: true })
    try {
      // The answer is listened for before the request is sent: an early `busy` must not be missed.
      const [bytes] = await Promise.all([readFrame(stream), writeFrame(stream, encodeMessage(request))])
      return decodeAnswer(request, bytes)
    } catch (error) {
      stream.abort(error as Error)
      throw error
    } finally {
      either.removeEventListener('abort', abort)
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw new AskError(`${peer.toString()} gave no answer: ${(error as Error).message}`, { cause: error })
  }
}
