/** NAT-PMP (RFC 6886). Routers with PCP answer it too. */
import { createSocket } from 'node:dgram'
import { HELD_SECONDS, type Router } from './router.ts'

const PORT = 5351

/** The pauses before it is asked again. The RFC doubles them up to a minute; a router answers in milliseconds. */
const PAUSES_MS = [250, 500, 1_000]

const OPCODE = { address: 0, mapTcp: 2 }
const ANSWER = 128
const REASONS = ['', 'another version', 'it is turned off', 'no address yet', 'no port is left', 'not supported']

export function natPmp(gateway: string, serverPort = PORT): Router {
  const ask = (request: Buffer, length: number): Promise<Buffer> => exchange(gateway, serverPort, request, length)
  const mapping = (port: number, seconds: number): Promise<Buffer> => {
    const request = Buffer.alloc(12)
    request[1] = OPCODE.mapTcp
    request.writeUInt16BE(port, 4)
    request.writeUInt16BE(seconds === 0 ? 0 : port, 6)
    request.writeUInt32BE(seconds, 8)
    return ask(request, 16)
  }
  return {
    async map(port) {
      const address = await ask(Buffer.from([0, OPCODE.address]), 12)
      const mapped = await mapping(port, HELD_SECONDS)
      return { ip: address.subarray(8, 12).join('.'), port: mapped.readUInt16BE(10) }
    },
    async unmap(port) {
      await mapping(port, 0)
    }
  }
}

/** The socket is connected, so that the gateway alone is heard. */
function exchange(gateway: string, serverPort: number, request: Buffer, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4')
    const timers: NodeJS.Timeout[] = []
    const end = (outcome: () => void): void => {
      for (const timer of timers) clearTimeout(timer)
      // It throws where connecting has failed and closed it.
      socket.removeAllListeners().on('error', () => undefined)
      socket.close()
      outcome()
    }
    const send = (): void => socket.send(request)
    socket.on('error', (error) => end(() => reject(error)))
    socket.on('message', (answer) => {
      if (answer.length < 4 || answer[1] !== ANSWER + request[1]!) return
      const result = answer.readUInt16BE(2)
      if (result !== 0) end(() => reject(new Error(`NAT-PMP: ${REASONS[result] ?? `code ${result}`}`)))
      else if (answer.length >= length) end(() => resolve(answer))
    })
    socket.on('connect', () => {
      send()
      let waited = 0
      for (const pause of PAUSES_MS) timers.push(setTimeout(send, (waited += pause)))
      timers.push(setTimeout(() => end(() => reject(new Error('NAT-PMP: no answer'))), 2 * waited))
    })
    socket.connect(serverPort, gateway)
  })
}
