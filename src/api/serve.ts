import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { ServiceError } from '../errors.ts'
import { ERROR_TABLE } from '../error-table.ts'
import { portHolder } from '../util/port-holder.ts'
import { createSampler } from '../util/sampler.ts'
import { createApp, type AppOptions } from './app.ts'
import { boundConnections } from './connections.ts'
import { problemBody } from './errors/problem.ts'
import type { ApiServices } from './services.ts'
import { listenOnSocket } from './unix-socket.ts'

/** Requests under way get this long when the daemon stops; then their sockets are closed. */
const DRAIN_TIMEOUT_MS = 4000
/** How often that is looked for while the server closes. */
const IDLE_CHECK_MS = 20
/** A client must have sent its head by then [sockets held open by the thousand]. */
const HEADERS_TIMEOUT_MS = 10_000
/** Node looks for connections past their time only so often, by itself every 30 s. */
const CHECK_INTERVAL_MS = 1000
/**
 * Open at once; event streams and a browser's six connections a page are far below. What happens beyond: {@link
 * boundConnections}.
 */
const MAX_CONNECTIONS = 1000
/** A whole request of 256 KiB, on the slowest line worth serving. */
const REQUEST_TIMEOUT_MS = 30_000

export interface ListenAddress {
  readonly host: string
  /** 0 for any free one. */
  readonly port: number
  /** Absolute path of a UNIX socket beside them; undefined for none, and never used on Windows. */
  readonly socket?: string | undefined
}

export interface ServeOptions extends Omit<AppOptions, 'shutdown' | 'host'> {
  /** How long a new connection may take until a whole head has come, silent ones too. */
  readonly headersTimeoutMs?: number
  readonly maxConnections?: number
}

export interface ApiServer {
  /** `http://host:port`, with the port that was taken. */
  readonly url: string
  readonly port: number
  /** What a user has to know about the address listened on, where there is something. */
  readonly warning: string | undefined
  /** Whether it listens at the UNIX socket too. */
  readonly hasSocket: boolean
  /** Why it does not, where it should. */
  readonly socketWarning: string | undefined
  /** Ends event streams, lets requests under way finish, closes. At most 5 s. */
  close(): Promise<void>
}

/** Codes of Node's http server. */
const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request line and the headers are longer than 16 KiB together.',
  ERR_HTTP_REQUEST_TIMEOUT:
    `The request was not complete within ${REQUEST_TIMEOUT_MS / 1000} seconds, or its headers within ` +
    `${HEADERS_TIMEOUT_MS / 1000}.`
}

/** The HTTP interface could not start; the message names cause and cure. */
export class ApiListenError extends Error {
  override readonly name = 'ApiListenError'
}

/** Starts the HTTP interface. Throws ApiListenError. */
export async function serve(
  services: ApiServices,
  address: ListenAddress,
  options: ServeOptions = {}
): Promise<ApiServer> {
  const { headersTimeoutMs = HEADERS_TIMEOUT_MS, maxConnections = MAX_CONNECTIONS } = options
  const shutdown = new AbortController()
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  const app = createApp(services, { ...options, host: address.host, shutdown: shutdown.signal })
  const notHttp = refusals(services)
  // What is not a request at all (a malformed Host) never reaches the app; it gets the same shape of answer.
  const errorHandler = (): Response => {
    const { body, headers } = notHttp('The request line or the Host header is malformed.')
    return new Response(body, { status: 400, headers })
  }
  // Replaces the global Response: the built-in one is read back as a stream, which takes twice the time.
  const listenerOptions = { hostname: host, errorHandler }
  const server = httpServer(getRequestListener(app.fetch, listenerOptions), headersTimeoutMs, notHttp)
  boundConnections(server, maxConnections)
  const { port, address: bound } = await listen(server, address)
  const open = [server]
  let socketWarning: string | undefined
  if (address.socket !== undefined && process.platform !== 'win32') {
    const overSocket: typeof app.fetch = (request, env) => app.fetch(request, { ...env, isUnixSocket: true })
    const local = httpServer(getRequestListener(overSocket, listenerOptions), headersTimeoutMs, notHttp)
    // Places of its own: nothing that comes by TCP takes one.
    boundConnections(local, maxConnections)
    const reason = await listenOnSocket(local, address.socket)
    if (reason === undefined) open.push(local)
    else socketWarning = `the API has no UNIX socket: ${reason}`
  }
  return {
    url: `http://${host}:${port}`,
    port,
    warning: plainTextWarning(bound),
    hasSocket: open.length > 1,
    socketWarning,
    close: () => close(open, shutdown)
  }
}

function httpServer(
  listener: ReturnType<typeof getRequestListener>,
  headersTimeoutMs: number,
  notHttp: Refusals
): Server {
  const server = createServer(
    // Node would answer a request without Host with a bare 400.
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersTimeoutMs),
      keepAliveTimeout: 5000,
      requireHostHeader: false
    },
    (request, response) => {
      // What follows a refused request on its connection is not trusted to be one.
      if (refused.has(request.socket)) return
      const fault = faultOf(request)
      if (fault !== undefined) refuseRequest(response, notHttp(fault))
      else void listener(takeAuthority(request), response)
    }
  )
  return server.on('clientError', (error, socket) => refuse(error, socket, notHttp))
}

/** `bound`: the IP address of the socket. */
function plainTextWarning(bound: string): string | undefined {
  if (bound === '::1' || /^(?:::ffff:)?127\./.test(bound)) return undefined
  return (
    `the API listens beyond this machine (${bound}) without encryption: anyone who sees the traffic ` +
    'sees the token. Put TLS before it, or listen on 127.0.0.1 (--host) and use an SSH tunnel'
  )
}

function listen(server: Server, { host, port }: ListenAddress): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
    server.listen(port, host, () => resolve(server.address() as AddressInfo))
  })
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): ApiListenError {
  const where = `${host}:${port}`
  switch (cause.code ?? '') {
    case 'EADDRINUSE':
      return new ApiListenError(
        `${where} is in use: ${holderText(port)} listens there. Stop it, or choose another port with --port; ` +
          '--port 0 takes a free one, and commands find it by --data-dir.',
        { cause }
      )
    case 'EACCES':
      return new ApiListenError(`${where} may not be used by this user. Choose a port above 1023 with --port.`, {
        cause
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ApiListenError(`${where} is not an address of this machine. Correct --host (api.host).`, { cause })
    default:
      return new ApiListenError(`Cannot listen on ${where}: ${cause.message}. Check --host and --port.`, { cause })
  }
}

function holderText(port: number): string {
  const holder = portHolder(port)
  return holder === undefined
    ? 'another program, perhaps another chronymd,'
    : `process ${holder.pid} (${holder.command})`
}

async function close(servers: readonly Server[], shutdown: AbortController): Promise<void> {
  shutdown.abort()
  await Promise.all(servers.map(drain))
}

async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  // A connection that was busy is closed soon after its answer ends, not when its keep-alive does.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS)
  await closed
  clearInterval(idle)
  clearTimeout(timer)
}

/** What Node's parser lets pass and RFC 9112 does not. */
function faultOf({ headers, httpVersion }: IncomingMessage): string | undefined {
  // HTTP/1.0 has no Host; the listening address replaces it.
  if (headers.host === undefined && httpVersion !== '1.0')
    return 'The request has no Host header, which HTTP/1.1 asks for.'
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return (
      `The Transfer-Encoding "${coding.slice(0, 100)}" is not understood: ` +
      'send the body as it is with Content-Length, or in chunks alone.'
    )
  return undefined
}

/** RFC 9112, 3.2.2: the authority of an absolute target replaces Host, so that hostGuard judges it. */
function takeAuthority(request: IncomingMessage): IncomingMessage {
  const [, authority, rest] = /^https?:\/\/([^/?#]*)(.*)/i.exec(request.url ?? '') ?? []
  if (authority === undefined || rest === undefined) return request
  const { headers, rawHeaders } = request
  const isHost = (index: number): boolean => rawHeaders[index]!.toLowerCase() === 'host'
  request.rawHeaders = rawHeaders.filter((_, index) => !isHost(index - (index % 2))).concat('Host', authority)
  headers.host = authority
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  return request
}

/** Connections of refused requests, which close once the answer is sent. */
const refused = new WeakSet<Duplex>()

function refuseRequest(response: ServerResponse, { body, headers }: Refusal): void {
  refused.add(response.req.socket)
  response.writeHead(400, { ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }).end(body)
}

/**
 * What Node's parser refuses has no request and no response: its answer is written by hand, and the connection ends.
 */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, notHttp: Refusals): void {
  if (refused.has(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const detail = REFUSALS[error.code ?? ''] ?? 'What was sent is not HTTP/1.1.'
  // Browsers open connections ahead of their requests: that these end is no news.
  const { body, headers } = notHttp(detail, error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'debug' : 'info')
  const head = { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' }
  socket.end(
    `HTTP/1.1 400 Bad Request\r\n${Object.entries(head)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n${body}`
  )
}

interface Refusal {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

type Refusals = (detail: string, level?: 'info' | 'debug') => Refusal

/** Answers to what the app never sees. The log gets a sample of them, as of the app's own refusals. */
function refusals({ log, now }: Pick<ApiServices, 'log' | 'now'>): Refusals {
  const sample = createSampler(now)
  return (detail, level = 'info') => {
    const requestId = crypto.randomUUID()
    const error = new ServiceError('SVC-REQ-001', detail)
    const { isWritten, leftOut } = sample()
    if (isWritten)
      log[level](
        { request_id: requestId, code: error.code, ...(leftOut > 0 && { left_out: leftOut }) },
        ERROR_TABLE[error.code].title
      )
    return {
      body: JSON.stringify(problemBody(error, requestId)),
      headers: { 'Content-Type': 'application/problem+json', 'X-Request-Id': requestId }
    }
  }
}
