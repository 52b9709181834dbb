/**
 * Guards between the libraries that read a stranger's bytes: libp2p's own hooks for a private network, an encrypter and
 * a multiplexer, around the socket, noise and yamux.
 */
import { serviceCapabilities } from '@libp2p/interface'
import type {
  ConnectionEncrypter,
  ConnectionProtector,
  MessageStream,
  MultiaddrConnection,
  StreamMuxerFactory
} from '@libp2p/interface'
import { noise } from '@libp2p/noise'
import { yamux } from '@libp2p/yamux'
import type { Libp2pInit } from 'libp2p'
import type { DiversityLimits } from '../../../protocol/neighbourhood/diversity.ts'
import { prefixOf } from '../addresses.ts'
import { FrameGuard } from './frame-guard.ts'
import { INBOUND_STREAMS, Spending, UNSENT_BYTES, WINDOW_BYTES } from './limits.ts'
import { SocketGuard } from './socket-guard.ts'
import { UnreadBytes } from './unread.ts'

type Layers = Required<Pick<Libp2pInit, 'connectionProtector' | 'connectionEncrypters' | 'streamMuxers'>>
type Components = Parameters<Layers['connectionEncrypters'][number]>[0]
type Secured = Awaited<ReturnType<ConnectionEncrypter['secureInbound']>>

const NOISE = '/noise'
const YAMUX = '/yamux/1.0.0'

interface GuardOptions {
  /** Prefixes are limited where the network limits them; elsewhere each peer counts as one. */
  readonly limits: Pick<DiversityLimits, 'answers_per_prefix'>
  readonly maxEarlyStreams: number
  readonly keepAliveInterval: number
  /** Monotonic, in milliseconds. */
  readonly now?: () => number
}

/** The layers of a connection, and what all connections have unread. */
export function guardedLayers({ limits, now = () => performance.now(), ...muxing }: GuardOptions): Layers {
  const unread = new UnreadBytes()
  const limitsPrefixes = limits.answers_per_prefix > 0
  const sockets = new WeakMap<MessageStream, { readonly guard: SocketGuard; readonly prefix: string }>()
  const carriers = new WeakMap<MessageStream, FrameGuard>()

  const protector: ConnectionProtector = {
    protect(stream) {
      // The upgrader has nothing else to protect.
      const connection = stream as MultiaddrConnection
      const prefix = limitsPrefixes ? prefixOf(connection.remoteAddr) : connection.remoteAddr.toString()
      const guard = new SocketGuard(connection, NOISE, new Spending(now), (hangUp) => unread.open(prefix, hangUp))
      sockets.set(guard, { guard, prefix })
      return Promise.resolve(guard)
    }
  }

  const guarded = ({ connection, ...secured }: Secured, stream: MessageStream, components: Components): Secured => {
    const { guard: socket, prefix } = sockets.get(stream)!
    socket.secured(limitsPrefixes ? prefix : secured.remotePeer.toString())
    const frames = new FrameGuard(connection, {
      multiplexer: secured.streamMuxer === undefined ? YAMUX : undefined,
      protocols: () => components.registrar.getProtocols(),
      spending: socket.spending,
      unread: socket.unread
    })
    carriers.set(frames, frames)
    return { ...secured, connection: frames }
  }

  const encrypter = (components: Components): ConnectionEncrypter => {
    const inner = noise()(components)
    return {
      protocol: inner.protocol,
      [serviceCapabilities]: ['@libp2p/connection-encryption'],
      async secureInbound(stream, options) {
        return guarded(await inner.secureInbound(stream, options), stream, components)
      },
      async secureOutbound(stream, options) {
        return guarded(await inner.secureOutbound(stream, options), stream, components)
      }
    } as ConnectionEncrypter
  }

  const muxers = (): StreamMuxerFactory => {
    const inner = yamux({
      ...muxing,
      maxInboundStreams: INBOUND_STREAMS,
      streamOptions: {
        initialStreamWindowSize: WINDOW_BYTES,
        maxStreamWindowSize: WINDOW_BYTES,
        maxReadBufferLength: WINDOW_BYTES,
        maxWriteBufferLength: UNSENT_BYTES.stream
      }
    })()
    return {
      protocol: inner.protocol,
      createStreamMuxer(stream) {
        // Its pings would go on for ever: it learns of no end that came before it.
        if (stream.status !== 'open') throw new Error('the connection has ended')
        const muxer = inner.createStreamMuxer(stream)
        carriers.get(stream)?.carry(muxer)
        return muxer
      }
    }
  }

  return { connectionProtector: () => protector, connectionEncrypters: [encrypter], streamMuxers: [muxers] }
}
