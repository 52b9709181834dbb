import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { connect, type NetConnectOpts, type Server, type Socket } from 'node:net'
import type { Context } from 'hono'
import type * as v from 'valibot'
import { isUtf8 } from 'node:buffer'
import { ServiceError } from '../../errors.ts'
import { joinSecret, secretBuffer } from '../../util/secret-input.ts'
import type { AppEnv } from './request.ts'
import { checkBody, MAX_BODY_BYTES, tooLarge } from './body.ts'

/** Octets of a request head; Node refuses longer ones. */
const MAX_HEAD_BYTES = 16 * 1024
const PARSER_BUFFER_BYTES = 64 * 1024
/** For the case that a firewall drops what the server sends to itself. */
const SELF_TIMEOUT_MS = 1_000

/**
 * The text of the one of these members that a JSON body has, in UTF-8, for the caller to overwrite; all other copies are
 * overwritten here. The schema checks the body with as many `x` in its place. Throws as {@link readBody}.
 */
export async function readSecret<Member extends string>(
  c: Context<AppEnv>,
  schema: v.GenericSchema,
  members: readonly Member[]
): Promise<{ readonly member: Member; readonly secret: Buffer }> {
  // A Request made in memory comes from no socket.
  const bindings = c.env as AppEnv['Bindings'] | undefined
  const incoming = bindings?.incoming instanceof IncomingMessage ? bindings.incoming : undefined
  const body = await readWiped(incoming?.iterator({ destroyOnReturn: false }) ?? c.req.raw.body ?? [])
  const length = body.length
  const found: { member: Member; secret: Buffer }[] = []
  try {
    for (const member of members) {
      const secret = takeSecretMember(body, member)
      if (secret !== undefined) found.push({ member, secret })
    }
    checkBody(c, body, schema)
    const [first, second] = found
    if (first === undefined || second !== undefined)
      throw new ServiceError(
        'SVC-REQ-001',
        `The body has one of the members ${members.join(' and ')}, its name written without escapes.`
      )
    return first
  } catch (error) {
    for (const { secret } of found) secret.fill(0)
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

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const LETTER_U = 0x75
const FIRST_PRINTABLE = 0x20
const WHITE_SPACE = new Set(Buffer.from(' \t\n\r'))
const OPENING = new Set(Buffer.from('{['))
const CLOSING = new Set(Buffer.from('}]'))

/** What an escape of one letter means. */
const ESCAPED = new Map(Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }))

/**
 * Takes the text of a member out of a JSON object without making a string of it, which V8 would keep. In `json` as many
 * `x` as it has bytes replace it, so that the body can be parsed and checked like any other.
 * Undefined where there is no such text; its name counts only without escapes. Throws SVC-REQ-001 where a string is not
 * JSON.
 */
export function takeSecretMember(json: Buffer, member: string): Buffer | undefined {
  if (!isUtf8(json)) return undefined
  const name = Buffer.from(member)
  // At most one is used: the parser refuses two members with one name.
  let secret: Buffer | undefined
  let depth = 0
  try {
    for (let at = 0; at < json.length; at++) {
      const byte = json[at]!
      if (OPENING.has(byte)) depth++
      if (CLOSING.has(byte)) depth--
      if (byte !== QUOTE) continue
      const end = endOfString(json, at)
      const value = depth === 1 && json.subarray(at + 1, end).equals(name) ? valueAfter(json, end) : undefined
      at = value === undefined ? end : endOfString(json, value)
      if (value === undefined) continue
      secret?.fill(0)
      secret = take(json, value + 1, at)
    }
  } catch (error) {
    secret?.fill(0)
    throw error
  }
  return secret
}

/** Of the string from `start` to the closing quote at `end`. */
function take(json: Buffer, start: number, end: number): Buffer {
  const secret = unescaped(json.subarray(start, end))
  json.fill('x', start, start + secret.length)
  json[start + secret.length] = QUOTE
  json.fill(' ', start + secret.length + 1, end + 1)
  return secret
}

/** Where the closing quote is. */
function endOfString(json: Buffer, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  if (at >= json.length) throw notJson()
  return at
}

/** Where the string begins that is the value of the member whose name ends at `nameEnd`. */
function valueAfter(json: Buffer, nameEnd: number): number | undefined {
  const colon = afterWhiteSpace(json, nameEnd + 1)
  const value = afterWhiteSpace(json, colon + 1)
  return json[colon] === COLON && json[value] === QUOTE ? value : undefined
}

function afterWhiteSpace(json: Buffer, start: number): number {
  let at = start
  while (WHITE_SPACE.has(json[at] ?? 0)) at++
  return at
}

function unescaped(text: Buffer): Buffer {
  // No escape is shorter than what it means in UTF-8.
  const plain = secretBuffer(text.length)
  let length = 0
  try {
    for (let at = 0; at < text.length;) {
      const byte = text[at]!
      if (byte < FIRST_PRINTABLE) throw notJson()
      if (byte === BACKSLASH) {
        const { meant, bytes } = escapeAt(text, at)
        length += plain.write(meant, length)
        at += bytes
      } else {
        plain[length++] = byte
        at++
      }
    }
  } catch (error) {
    plain.fill(0)
    throw error
  }
  return plain.subarray(0, length)
}

function escapeAt(text: Buffer, at: number): { readonly meant: string; readonly bytes: number } {
  const unit = codeUnitAt(text, at)
  if (unit === undefined) {
    const meant = ESCAPED.get(String.fromCharCode(text[at + 1]!))
    if (meant === undefined) throw notJson()
    return { meant, bytes: 2 }
  }
  const low = isSurrogate(unit, 0xd800) ? codeUnitAt(text, at + 6) : undefined
  return low !== undefined && isSurrogate(low, 0xdc00)
    ? { meant: String.fromCharCode(unit, low), bytes: 12 }
    : { meant: String.fromCharCode(unit), bytes: 6 }
}

/** Of `\u` and four digits; undefined where there is another escape, or none. */
function codeUnitAt(text: Buffer, at: number): number | undefined {
  if (text[at] !== BACKSLASH || text[at + 1] !== LETTER_U) return undefined
  const digits = text.toString('latin1', at + 2, at + 6)
  if (!/^[0-9a-f]{4}$/iu.test(digits)) throw notJson()
  return parseInt(digits, 16)
}

/** Whether it is one of the 1024 surrogates from `first` on. */
function isSurrogate(unit: number, first: number): boolean {
  return (unit & 0xfc00) === first
}

function notJson(): ServiceError {
  return new ServiceError('SVC-REQ-001', 'The body is not JSON.')
}
