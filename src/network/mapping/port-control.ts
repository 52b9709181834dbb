/**
 * NAT-PMP (RFC 6886), which maps a port of IPv4, and its successor PCP (RFC 6887), which lets a port of IPv6 in. Routers
 * with PCP answer both. Their packets share the port and the place of version and type. The epoch, by which a router
 * says that it forgot its mappings, is not read: the one mapping is asked for again each minute anyway.
 */
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { HELD_SECONDS, type Router } from './router.ts'

const PORT = 5351

/** The pauses before it is asked again. The RFC doubles them up to a minute; a router answers in milliseconds. */
const PAUSES_MS = [250, 500, 1_000]

const ANSWER = 128

/** The result of a router that knows another version: it answers with that one (RFC 6886, 3.5; RFC 6887, 9). */
const OTHER_VERSION = 1

const OPCODE = { address: 0, mapTcp: 2 }

const PCP = { version: 2, map: 1, tcp: 6, bytes: 60, clientAt: 8, nonceAt: 24, protocolAt: 36, portsAt: 40 }

interface Protocol {
  readonly name: string
  readonly resultOf: (answer: Buffer) => number
  readonly reasons: Readonly<Record<number, string>>
}

const NAT_PMP: Protocol = {
  name: 'NAT-PMP',
  resultOf: (answer) => answer.readUInt16BE(2),
  reasons: { 2: 'it is turned off', 3: 'no address yet', 4: 'no port is left', 5: 'not supported' }
}

/** Reasons of the results that its requests can have. */
const PCP_PROTOCOL: Protocol = {
  name: 'PCP',
  resultOf: (answer) => answer[3]!,
  reasons: { 2: 'it is turned off', 7: 'no address yet', 8: 'no port is left' }
}

export function natPmp(gateway: string, serverPort = PORT): Router {
  const ask = (request: Buffer, answers: (answer: Buffer) => boolean): Promise<Buffer> =>
    exchange(NAT_PMP, { gateway, serverPort }, request, (answer, isRefusal) => isRefusal || answers(answer))
  const mapping = (port: number, seconds: number): Promise<Buffer> => {
    const request = Buffer.alloc(12)
    request[1] = OPCODE.mapTcp
    request.writeUInt16BE(port, 4)
    request.writeUInt16BE(seconds === 0 ? 0 : port, 6)
    request.writeUInt32BE(seconds, 8)
    return ask(request, (answer) => answer.length >= 16 && answer.readUInt16BE(8) === port)
  }
  return {
    async map(port) {
      const address = await ask(Buffer.from([0, OPCODE.address]), ({ length }) => length >= 12)
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
    // RFC 6887, 11.4: what answers another request, also with a refusal, is dropped.
    const repeated = request.subarray(PCP.nonceAt, PCP.portsAt + 2)
    const answers = (answer: Buffer): boolean =>
      answer.length >= PCP.bytes && answer.subarray(PCP.nonceAt, PCP.portsAt + 2).equals(repeated)
    const answer = await exchange(PCP_PROTOCOL, { gateway, serverPort, own }, request, answers)
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

/** The socket is connected, so that the gateway alone is heard, and its port. What `answers` denies is dropped. */
function exchange(
  { name, resultOf, reasons }: Protocol,
  { gateway, serverPort, own }: Server,
  request: Buffer,
  answers: (answer: Buffer, isRefusal: boolean) => boolean
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
      const result = resultOf(answer)
      const refuse = (reason: string): void => end(() => reject(new Error(`${name}: ${reason}`)))
      if (result === OTHER_VERSION) refuse('another version')
      else if (answer[0] !== request[0] || !answers(answer, result !== 0)) return
      else if (result !== 0) refuse(reasons[result] ?? `code ${result}`)
      else end(() => resolve(answer))
    })
    socket.on('connect', () => {
      send()
      let waited = 0
      for (const pause of PAUSES_MS) timers.push(setTimeout(send, (waited += pause)))
      timers.push(setTimeout(() => end(() => reject(new Error(`${name}: no answer`))), 2 * waited))
    })
    socket.bind({ ...(own !== undefined && { address: own }) }, () => socket.connect(serverPort, gateway))
  })
}
