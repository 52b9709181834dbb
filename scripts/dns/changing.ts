/** A server that passes queries on to another one and changes a byte of each answer on its way back. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { OWN_HOST } from '../loopback.ts'
import { askTcp, type Server } from './ask.ts'

/** Below those that the system gives out: one that is free for TCP may be taken for UDP. */
const PORT = 20_054

/** Changes a reply in place. */
export type Change = (reply: Buffer) => void

/** On UDP and TCP, at one port of a loopback address; one at a time. */
export async function startChanging(server: Server, change: Change): Promise<Server & { stop(): void }> {
  const upstream = (packet: Buffer): Promise<Buffer[]> => askTcp(server, [packet])
  const changed = async (packet: Buffer): Promise<Buffer> => {
    const reply = Buffer.from((await upstream(packet))[0]!)
    change(reply)
    return reply
  }
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (data: Buffer) => {
      changed(data.subarray(2)).then(
        (reply) => socket.write(Buffer.concat([Buffer.of(reply.length >> 8, reply.length & 255), reply])),
        () => socket.destroy()
      )
    })
  })
  tcp.listen(PORT, OWN_HOST)
  await once(tcp, 'listening')
  const udp: Socket = createSocket('udp4')
  udp.bind(PORT, OWN_HOST)
  await once(udp, 'listening')
  udp.on('message', (packet, from) => {
    changed(packet).then(
      (reply) => udp.send(reply, from.port, from.address),
      () => undefined
    )
  })
  return {
    address: OWN_HOST,
    port: PORT,
    stop() {
      udp.close()
      tcp.close()
    }
  }
}
