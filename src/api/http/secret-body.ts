import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { connect, type NetConnectOpts, type Server, type Socket } from 'node:net'
import type { Context } from 'hono'
import type * as v from 'valibot'
import { ServiceError } from '../../errors.ts'
import { joinSecret } from '../../util/secret-buffer.ts'
import type { AppEnv } from '../env.ts'
import { checkBody, MAX_BODY_BYTES, tooLarge } from './body.ts'
import { takeSecretMember } from './secret-member.ts'

/** Of a request head; Node takes no longer one. */
const MAX_HEAD_BYTES = 16 * 1024
const PARSER_BUFFER_BYTES = 64 * 1024
/** For the case that a firewall drops what the server sends to itself. */
const SELF_TIMEOUT_MS = 1_000

/**
 * The text of one member of a JSON body in UTF-8, for the caller to overwrite; all other copies are overwritten here.
 * The schema checks the body with as many `x` in its place. Throws as {@link readBody}.
 */
export async function readSecret(c: Context<AppEnv>, schema: v.GenericSchema, member: string): Promise<Buffer> {
  // A Request made in memory comes from no socket.
  const bindings = c.env as AppEnv['Bindings'] | undefined
  const incoming = bindings?.incoming instanceof IncomingMessage ? bindings.incoming : undefined
  const body = await readWiped(incoming?.iterator({ destroyOnReturn: false }) ?? c.req.raw.body ?? [])
  const length = body.length
  let secret: Buffer | undefined
  try {
    secret = takeSecretMember(body, member)
    checkBody(c, body, schema)
    if (secret === undefined)
      throw new ServiceError('SVC-REQ-001', `The name of the member "${member}" must be written without escapes.`)
    return secret
  } catch (error) {
    secret?.fill(0)
    throw error
  } finally {
    body.fill(0)
    if (incoming !== undefined) await overwriteParserBuffer(incoming.socket, MAX_HEAD_BYTES + length)
  }
}

async function readWiped(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_BODY_BYTES) break
  }
  const whole = joinSecret(chunks)
  if (length > MAX_BODY_BYTES) throw tooLarge()
  return whole
}

/**
 * Node's HTTP parser reads all sockets into one buffer, which it keeps for good. Nothing but what it reads
 * next overwrites it: here as many zeros, over a connection of the server to itself, which refuses them.
 */
async function overwriteParserBuffer(from: Socket, bytes: number): Promise<void> {
  const at = listeningAddress(from)
  if (at === undefined) return
  const socket = connect(at)
  socket.setTimeout(SELF_TIMEOUT_MS, () => socket.destroy())
  socket.resume().on('error', () => undefined)
  socket.end(Buffer.alloc(Math.min(bytes, PARSER_BUFFER_BYTES)))
  await once(socket, 'close')
}

/** Where its connection came in: an address and a port, or the path of the UNIX socket. */
function listeningAddress(socket: Socket & { server?: Server }): NetConnectOpts | undefined {
  const { localAddress: host, localPort: port } = socket
  if (host !== undefined && port !== undefined) return { host, port }
  const path = socket.server?.address()
  return typeof path === 'string' ? { path } : undefined
}
