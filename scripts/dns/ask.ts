/** Sends packets to a name server over real sockets. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { decodeReply, encodeQuery, type Reply } from './message.ts'

export interface Server {
  readonly address: string
  readonly port: number
}

/** After the answer to a later packet has come, an earlier one has this long. */
const GRACE_MS = 150
const PATIENCE_MS = 10_000

/** What a server is asked after a packet, to know that the packet was seen. */
const PROBE_ID = 0xfffe

/** One packet by UDP, `undefined` when a later one is answered and this one is not. */
export async function askUdp(
  server: Server,
  packet: Uint8Array,
  probeName: string,
  patienceMs = PATIENCE_MS
): Promise<Buffer | undefined> {
  const socket = createSocket(server.address.includes(':') ? 'udp6' : 'udp4')
  const answered = Promise.withResolvers<Buffer | undefined>()
  const fail = setTimeout(() => answered.reject(new Error('no answer to a probe either')), patienceMs)
  let grace: NodeJS.Timeout | undefined
  socket.on('error', (error) => answered.reject(error))
  socket.on('message', (message) => {
    if (message.length < 2 || message.readUInt16BE(0) !== PROBE_ID) answered.resolve(message)
    else grace = setTimeout(() => answered.resolve(undefined), GRACE_MS)
  })
  socket.connect(server.port, server.address)
  await once(socket, 'connect')
  socket.send(packet)
  socket.send(encodeQuery(PROBE_ID, { name: probeName, type: 'SOA' }))
  try {
    return await answered.promise
  } finally {
    clearTimeout(fail)
    clearTimeout(grace)
    socket.close()
  }
}

/**
 * Packets over one connection; resolves with the replies in their order of arrival, once `isLast` says so or the
 * server ends the connection.
 */
export async function askTcp(
  server: Server,
  packets: readonly Uint8Array[],
  isLast: (reply: Buffer, count: number) => boolean = (_, count) => count === packets.length
): Promise<Buffer[]> {
  const socket = connect(server.port, server.address)
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer over TCP')))
  const replies: Buffer[] = []
  let received = Buffer.alloc(0)
  await once(socket, 'connect')
  for (const packet of packets)
    socket.write(Buffer.concat([Buffer.of(packet.length >> 8, packet.length & 255), packet]))
  try {
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer])
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0)
        replies.push(received.subarray(2, end))
        received = received.subarray(end)
        if (isLast(replies.at(-1)!, replies.length)) return replies
      }
    }
    return replies
  } finally {
    socket.destroy()
  }
}

/** A zone as its server hands it over (RFC 5936), without the SOA that closes it. */
export async function transfer(server: Server, zone: string): Promise<Reply['answer']> {
  let soas = 0
  const replies = await askTcp(server, [encodeQuery(1, { name: zone, type: 'AXFR' })], (reply) => {
    const { answer, rcode } = decodeReply(reply)
    soas += answer.filter(({ type }) => type === 'SOA').length
    return rcode !== 'NOERROR' || soas === 2
  })
  const records = replies.flatMap((reply) => decodeReply(reply).answer)
  if (soas !== 2) throw new Error(`${zone} was not handed over`)
  return records.slice(0, -1)
}
