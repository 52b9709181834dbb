/** Requests that carry a token, each on a connection whose other end has just proved to be the daemon that is meant. */
import { once } from 'node:events'
import { Agent, request, type ClientRequestArgs, type IncomingMessage, type RequestOptions } from 'node:http'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { Readable, type Duplex } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import * as v from 'valibot'
import { UnreachableError, type Transport } from './transport.ts'
import { newNonce, proves, socketAddress, UNIX_SOCKET } from '../daemon-proof.ts'
import { ChallengeSchema } from '../schemas/daemon.ts'
import { textOfUtf8 } from '../../util/utf8.ts'

/** A daemon under load answers within milliseconds. */
const CHALLENGE_TIMEOUT_MS = 10_000
/** A proof takes some 150 bytes. */
const MAX_ANSWER_BYTES = 4_096

export interface Target {
  /** `http://host:port` */
  readonly url: string
  /** Absolute path of its UNIX socket, which comes first: no other user takes the places there. */
  readonly socket?: string | undefined
  /** The main token's: src/api/daemon-proof.ts. */
  readonly key: Uint8Array
  /** The start of the daemon, where it is known which one it must be. */
  readonly instance?: string
  /** What to say when nothing answers, and what to do when it or another does not prove itself. */
  readonly silence?: string
  readonly cure?: string
  /** Sent once the daemon has proved itself. */
  readonly token?: string | undefined
}

/** Something answers, but it is not the daemon that is meant. */
export class UnprovedError extends UnreachableError {}

/**
 * Agent of one connection that is there already: what comes after the proof goes where the proof came from, or nowhere.
 */
class OneConnection extends Agent {
  #socket: Socket | undefined

  constructor(socket: Socket) {
    super({ keepAlive: true, maxSockets: 1 })
    this.#socket = socket
  }

  override createConnection(
    _options: ClientRequestArgs,
    done?: (error: Error | null, stream: Duplex) => void
  ): Duplex | undefined {
    const socket = this.#socket
    this.#socket = undefined
    if (socket !== undefined) return socket
    done?.(new Error('the connection ended after the challenge'), undefined as never)
    return undefined
  }
}

/**
 * `locate` is asked at each request: a daemon that was restarted meanwhile may listen elsewhere. It throws what the
 * user should read.
 */
export function provenFetch(locate: () => Target): Transport {
  return async (url, init) => {
    const target = locate()
    const { hostname, port } = new URL(target.url)
    const { pathname, search } = new URL(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const signal = init.signal ?? undefined
    const deadline = AbortSignal.any([
      AbortSignal.timeout(CHALLENGE_TIMEOUT_MS),
      ...(signal === undefined ? [] : [signal])
    ])
    let agent: OneConnection | undefined
    let proved = false
    try {
      const at = { host, port: Number(port || 80) }
      const { socket, address } = await dial(target.socket, at, deadline)
      agent = new OneConnection(socket)
      const to = { agent, ...at }
      await challenge(to, address, target, deadline)
      proved = true
      const headers = new Headers(init.headers)
      if (target.token !== undefined) headers.set('Authorization', `Bearer ${target.token}`)
      const answer = await ask(
        {
          ...to,
          method: init.method ?? 'GET',
          path: `${pathname}${search}`,
          headers: Object.fromEntries(headers),
          ...(signal === undefined ? {} : { signal })
        },
        init.body
      )
      answer.once('close', () => agent?.destroy())
      return toResponse(answer)
    } catch (cause) {
      agent?.destroy()
      // As `fetch` does: throws the reason, such as a time-out.
      signal?.throwIfAborted()
      if (cause instanceof UnreachableError) throw cause
      if (!proved && deadline.aborted)
        throw new UnprovedError(
          `what listens at ${target.url} does not answer the challenge within ` +
            `${CHALLENGE_TIMEOUT_MS / 1000} s; it got no token`,
          { cause, ...cureOf(target) }
        )
      throw new UnreachableError(
        target.silence ??
          `No daemon answers at ${target.url}. Start it with \`chronym daemon\`, or name it with --api or --data-dir.`,
        { cause, ...cureOf(target) }
      )
    }
  }
}

function cureOf({ cure }: Target): { cure?: string } {
  return cure === undefined ? {} : { cure }
}

interface Dialled {
  readonly socket: Socket
  /** What the daemon must name in its proof. */
  readonly address: string
}

/** By the UNIX socket; by TCP where there is none, or nobody listens there. */
async function dial(path: string | undefined, at: NetConnectOpts, signal: AbortSignal): Promise<Dialled> {
  if (path !== undefined) {
    try {
      return { socket: await open({ path }, signal), address: UNIX_SOCKET }
    } catch {
      signal.throwIfAborted()
    }
  }
  const socket = await open(at, signal)
  return { socket, address: socketAddress(socket.remoteAddress ?? '', socket.remotePort ?? 0) }
}

async function open(at: NetConnectOpts, signal: AbortSignal): Promise<Socket> {
  const socket = connect(at)
  try {
    await once(socket, 'connect', { signal })
  } catch (error) {
    socket.destroy()
    throw error
  }
  // Requests on it report its failures.
  return socket.on('error', () => undefined)
}

/** Throws UnprovedError unless the other end proves to be the target at the address dialled. */
async function challenge(to: RequestOptions, address: string, target: Target, signal: AbortSignal): Promise<void> {
  const nonce = newNonce()
  const answer = await ask({
    ...to,
    path: `/api/challenge?${new URLSearchParams({ nonce, address }).toString()}`,
    signal
  })
  const given = v.safeParse(ChallengeSchema, await jsonOf(answer))
  const refuse = (reason: string): never => {
    throw new UnprovedError(
      `what answers at ${target.url} does not prove to be the expected daemon: ${reason}; it got no token`,
      cureOf(target)
    )
  }
  if (!given.success) return refuse(`it answers the challenge with HTTP ${answer.statusCode ?? 0}`)
  const { instance, proof } = given.output
  if (!proves(target.key, { nonce, instance, address }, proof))
    return refuse('its proof uses another token or another address')
  if (target.instance !== undefined && target.instance !== instance)
    return refuse('it is a daemon with the same token, but not this one')
}

function ask(options: RequestOptions, body?: RequestInit['body']): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(options, resolve)
      .on('error', reject)
      .end(body ?? undefined)
  })
}

/** Undefined for what is not JSON, or too long to be an answer to a challenge. */
async function jsonOf(answer: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) return undefined
  }
  try {
    return JSON.parse(textOfUtf8(Buffer.concat(chunks))) as unknown
  } catch {
    return undefined
  }
}

function toResponse(message: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = message
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) headers.append(rawHeaders[index]!, rawHeaders[index + 1]!)
  if (status !== 204 && status !== 304)
    return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>, { status, headers })
  message.resume()
  return new Response(null, { status, headers })
}
