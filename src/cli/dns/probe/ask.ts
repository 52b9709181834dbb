/** Asks one server one question, over UDP and then, where the reply is cut, over TCP. */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIP } from 'node:net'
import { decodeReply, encodeQuery, type Question, type Reply } from './message.ts'
import { messageOf } from '../../failures/failure.ts'
import type { Server } from '../types.ts'

/** A server that gave no reply that can be read. */
export interface Silence {
  readonly reason: string
}

export type Ask = (server: Server, question: Question) => Promise<Reply | Silence>

/** Above the 5 s that the daemon looks for a name. */
const TIMEOUT_MS = 6_000

export const isSilent = (answer: Reply | Silence): answer is Silence => 'reason' in answer

/** Never rejects. */
export async function ask(server: Server, question: Question, timeoutMs = TIMEOUT_MS): Promise<Reply | Silence> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const reply = await overUdp(server, question, signal)
    return reply.truncated ? await overTcp(server, question, signal) : reply
  } catch (error) {
    if (signal.aborted) return { reason: `no reply within ${timeoutMs / 1000} s` }
    const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
    return { reason: isRefused ? 'nobody listens there (ECONNREFUSED)' : messageOf(error) }
  }
}

/** A reply to another question is dropped, as a forger may send one. */
function overUdp({ address, port }: Server, question: Question, signal: AbortSignal): Promise<Reply> {
  const id = randomInt(0x1_0000)
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4')
  const done = new Promise<Reply>((resolve, reject) => {
    const fail = (error: unknown): void => reject(error instanceof Error ? error : new Error(String(error)))
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
    socket.on('error', fail)
    socket.on('message', (bytes) => {
      try {
        const reply = decodeReply(bytes, id)
        if (reply !== undefined) resolve(reply)
      } catch (error) {
        fail(error)
      }
    })
    // Connected: the system drops datagrams of others and reports a closed port.
    socket.connect(port, address, () => socket.send(encodeQuery(id, question)))
  })
  return done.finally(() => socket.close())
}

function overTcp({ address, port }: Server, question: Question, signal: AbortSignal): Promise<Reply> {
  const id = randomInt(0x1_0000)
  const query = encodeQuery(id, question)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(query.length)
  const socket = connect({ port, host: address })
  const done = new Promise<Reply>((resolve, reject) => {
    let received = Buffer.alloc(0)
    const fail = (error: unknown): void => reject(error instanceof Error ? error : new Error(String(error)))
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('the connection was closed before the reply')))
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
      try {
        const reply = decodeReply(received.subarray(2, 2 + received.readUInt16BE(0)), id)
        if (reply === undefined) fail(new Error('a reply to another question'))
        else resolve(reply)
      } catch (error) {
        fail(error)
      }
    })
    socket.write(Buffer.concat([length, query]))
  })
  return done.finally(() => socket.destroy())
}
