/**
 * NAT-PMP (RFC 6886), which maps a port of IPv4, and its successor PCP (RFC 6887), which lets a port of IPv6 in. Routers
 * with PCP answer both. Their packets share the port, and where the type and the result are.
 */
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { HELD_SECONDS, type Router } from './router.ts'

const PORT = 5351

/** The pauses before it is asked again. The RFC doubles them up to a minute; a router answers in milliseconds. */
const PAUSES_MS = [250, 500, 1_000]

const ANSWER = 128

const OPCODE = { address: 0, mapTcp: 2 }
const NAT_PMP_REASONS = [
  '',
  'another version',
  'it is turned off',
  'no address yet',
  'no port is left',
  'not supported'
]

const PCP = { version: 2, map: 1, tcp: 6, bytes: 60, clientAt: 8, nonceAt: 24, protocolAt: 36, portsAt: 40 }
/** The rest tells of packets that this file does not send. */
const PCP_REASONS = { 1: 'another version', 2: 'it is turned off', 7: 'no address yet', 8: 'no port is left' }

export function natPmp(gateway: string, serverPort = PORT): Router {
  const ask = (request: Buffer, length: number): Promise<Buffer> =>
    exchange('NAT-PMP', NAT_PMP_REASONS, { gateway, serverPort }, request, length)
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

/** Lets peers in to `own`, an IPv6 address of this machine: the port stays, since nothing is translated. */
export function pcp(gateway: string, own: string, serverPort = PORT): Router {
  // The router renews and removes the mapping only for this nonce.
  const nonce = randomBytes(12)
  const ask = async (port: number, seconds: number): Promise<number> => {
    const request = Buffer.alloc(PCP.bytes)
    request.set([PCP.version, PCP.map])
    request.writeUInt32BE(seconds, 4)
    request.set(bytesOfIPv6(own), PCP.clientAt)
    request.set(nonce, PCP.nonceAt)
    request[PCP.protocolAt] = PCP.tcp
    request.writeUInt16BE(port, PCP.portsAt)
    request.writeUInt16BE(port, PCP.portsAt + 2)
    const answer = await exchange('PCP', PCP_REASONS, { gateway, serverPort, own }, request, PCP.bytes)
    return answer.readUInt16BE(PCP.portsAt + 2)
  }
  return {
    map: async (port) => ({ ip: own, port: await ask(port, HELD_SECONDS) }),
    async unmap(port) {
      await ask(port, 0)
    }
  }
}

function bytesOfIPv6(ip: string): Buffer {
  const [left = '', right] = ip.split('::')
  const groups = (text: string | undefined): string[] => (text === undefined || text === '' ? [] : text.split(':'))
  const [before, after] = [groups(left), groups(right)]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex')
}

interface Server {
  readonly gateway: string
  readonly serverPort: number
  /** Sent from there; by default from the address that the machine takes. */
  readonly own?: string
}

/** The socket is connected, so that the gateway alone is heard. */
function exchange(
  protocol: string,
  reasons: Readonly<Record<number, string>>,
  { gateway, serverPort, own }: Server,
  request: Buffer,
  length: number
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(gateway) ? 'udp6' : 'udp4')
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
      if (result !== 0) end(() => reject(new Error(`${protocol}: ${reasons[result] ?? `code ${result}`}`)))
      else if (answer.length >= length) end(() => resolve(answer))
    })
    socket.on('connect', () => {
      send()
      let waited = 0
      for (const pause of PAUSES_MS) timers.push(setTimeout(send, (waited += pause)))
      timers.push(setTimeout(() => end(() => reject(new Error(`${protocol}: no answer`))), 2 * waited))
    })
    socket.bind({ ...(own !== undefined && { address: own }) }, () => socket.connect(serverPort, gateway))
  })
}
