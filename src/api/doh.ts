/** DNS over HTTPS: /dns-query alone, with TLS, HTTP/2 and HTTP/1.1. Nothing else of the interface is served here. */
import { createSecureServer, type Http2SecureServer, type Http2Session, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { ServiceError } from '../errors.ts'
import { boundConnections } from './connections.ts'
import { refuseLongBody } from './http/body.ts'
import { identifyRequest, type AppEnv } from './http/request.ts'
import { notFound, onError } from './errors/problem.ts'
import { dnsQueryRoutes } from './routes/dns.ts'
import type { ListenAddress } from './serve.ts'
import type { ApiServices } from './services.ts'

/** With forward secrecy and AEAD, as DNS over TLS has them; TLS 1.3 has no others (RFC 9325, 4.2). */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20'
].join(':')
const MAX_CONNECTIONS = 1000
/** Queries at once from one /24 or /48, as over TCP and TLS. */
const CONNECTIONS_OF_NETWORK = 64
/** Queries at once on one connection; a browser has a few under way. */
const MAX_STREAMS = 100
/**
 * Streams that a client may open and reset: at once, and a second. Node's own 1,000 hold the event loop for half a
 * second. A browser that leaves a page resets a few.
 */
const RESETS = { streamResetBurst: 100, streamResetRate: 10 }
/** Pings between two requests; each is answered. */
const MAX_PINGS = 100
const IDLE_MS = 30_000
const HANDSHAKE_MS = 10_000
/** Requests under way get this long when the server closes. */
const DRAIN_MS = 1000

export type DohServices = Pick<ApiServices, 'dns' | 'log' | 'now'>

export interface DohOptions {
  /**
   * The cache is that of many people, so a page may read it: `Access-Control-Allow-Origin: *`. Else a page could read
   * from TTLs what this machine looked up lately.
   */
  readonly isPublic: boolean
}

export interface DohServer {
  readonly address: string
  readonly port: number
  close(): Promise<void>
}

/** The DNS server has one limit for a network over all transports: none is here. */
function createDohApp(services: DohServices, { isPublic }: DohOptions): Hono<AppEnv> {
  const routes = new Hono<AppEnv>()
  routes.route('/', dnsQueryRoutes(services))
  const app = new Hono<AppEnv>()
  if (isPublic)
    app.use(
      cors({ origin: '*', allowMethods: ['GET', 'HEAD', 'POST'], allowHeaders: ['Content-Type'], maxAge: 86_400 })
    )
  app.use(async (c, next) => {
    identifyRequest(c)
    c.header('X-Request-Id', c.get('requestId'))
    c.header('X-Content-Type-Options', 'nosniff')
    c.set('caller', { via: 'none', scopes: [], token: undefined, isCurrent: () => true })
    c.set('isAllowedOrigin', isPublic)
    refuseLongBody(c)
    await next()
  })
  app.route('/', routes)
  app.notFound(notFound(routes))
  app.onError(onError(services))
  return app
}

/** Throws ServiceError SVC-DNS-002. `certificate` and `key`: PEM. */
export async function serveDoh(
  services: DohServices,
  { host, port }: ListenAddress,
  { certificate, key, ...options }: DohOptions & { readonly certificate: Uint8Array; readonly key: Uint8Array }
): Promise<DohServer> {
  const app = createDohApp(services, options)
  const listener = getRequestListener(app.fetch)
  const server = createSecureServer(
    {
      cert: Buffer.from(certificate),
      key: Buffer.from(key),
      allowHTTP1: true,
      minVersion: 'TLSv1.2',
      ciphers: CIPHERS,
      handshakeTimeout: HANDSHAKE_MS,
      settings: { maxConcurrentStreams: MAX_STREAMS },
      ...RESETS
    },
    (request, response) => void listener(request, response)
  )
  boundConnections(server, MAX_CONNECTIONS, CONNECTIONS_OF_NETWORK)
  server.on('session', boundPings)
  const close = closing(server)
  server.setTimeout(IDLE_MS)
  // A client may end in the middle of a handshake: not this server's fault.
  server.on('sessionError', () => undefined)
  const bound = await new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new ServiceError('SVC-DNS-002', `cannot listen on ${host} port ${port} over HTTPS: ${cause.message}.`, {
          cause
        })
      )
    )
    server.listen(port, host, () => resolve(server.address() as AddressInfo))
  })
  return { address: bound.address, port: bound.port, close }
}

function boundPings(session: ServerHttp2Session): void {
  let pings = 0
  session.on('ping', () => {
    if (++pings > MAX_PINGS) session.destroy()
  })
  session.on('stream', () => {
    pings = 0
  })
}

/** Lets streams under way end, then ends all that is open. */
function closing(server: Http2SecureServer): () => Promise<void> {
  const sessions = new Set<Http2Session>()
  const sockets = new Set<Socket>()
  server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const session of sessions) session.close()
    const timer = setTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, DRAIN_MS)
    await closed
    clearTimeout(timer)
  }
}
