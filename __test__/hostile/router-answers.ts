/** Answers of a home's router, right ones and mutated ones, for tests that play a hostile router. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { Random } from '../../scripts/crash/random.ts'

const RUNS = ['\0', ' ', '\t', '\r\n', '<', '>', ':', '<service>', '<!--', '</', '\u001b[8m', 'ÿ'].map((text) =>
  Buffer.from(text, 'latin1')
)

/** One to four changes: a byte, an end cut off, a part left out or doubled, a run of one mark of up to `longest` bytes. */
export function mutated(answer: Buffer, random: Random, longest: number): Buffer {
  let changed = Buffer.from(answer)
  for (let left = random.between(1, 4); left > 0; left--) {
    const [from, to] = [random.between(0, changed.length), random.between(0, changed.length)].sort((a, b) => a - b)
    const [before, part, after] = [changed.subarray(0, from), changed.subarray(from, to), changed.subarray(to)]
    const run = random.pick(RUNS)
    const count = random.between(1, Math.max(1, Math.floor(longest / run.length / 4)))
    changed = random.pick([
      () => Buffer.concat([before, Buffer.from([random.between(0, 255)]), changed.subarray(from! + 1)]),
      () => before,
      () => Buffer.concat([before, after]),
      () => Buffer.concat([before, part, part, after]),
      () => Buffer.concat([before, ...Array.from({ length: count }, () => run), after])
    ])()
  }
  return changed.subarray(0, longest)
}

/** A right answer to a request by NAT-PMP or PCP. */
export function portControlAnswer(request: Buffer): Buffer {
  if (request[0] === 2) {
    const answer = Buffer.from(request).fill(0, 8, 24)
    answer[1] = 128 + request[1]!
    return answer
  }
  const answer = Buffer.alloc(request[1] === 0 ? 12 : 16)
  answer[1] = 128 + (request[1] ?? 0)
  if (request[1] === 0) answer.set([45, 1, 2, 3], 8)
  else answer.set([...request.subarray(4, 6), 0x1b, 0x58, ...request.subarray(8, 12)], 8)
  return answer
}

export const searchAnswer = (location: string): Buffer =>
  Buffer.from(`HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=120\r\nEXT:\r\nLOCATION: ${location}\r\n\r\n`)

export const DESCRIPTION = Buffer.from(
  '<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><device><serviceList><service><serviceType>' +
    'urn:schemas-upnp-org:service:WANIPConnection:1</serviceType><controlURL>/control</controlURL></service>' +
    '</serviceList></device></root>'
)

export const SOAP_ANSWER = Buffer.from(
  '<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
    '<NewExternalIPAddress>45.1.2.3</NewExternalIPAddress><errorCode>718</errorCode></s:Body></s:Envelope>'
)

/** The texts that once stopped the event loop for more than 20 s. */
export const SPACES = [
  Buffer.from(`<service><serviceType>${' '.repeat(15_000)}`),
  Buffer.from(`<NewExternalIPAddress${' '.repeat(5_000)}>${' '.repeat(10_000)}`)
]

export async function boundSocket(host: string, port = 0): Promise<Socket> {
  const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4', reuseAddr: port !== 0 })
  socket.bind(port, host)
  await once(socket, 'listening')
  return socket
}

/** Hears searches on the link of the interface with this address. */
export async function searchListener(host: string): Promise<Socket> {
  const socket = await boundSocket('0.0.0.0', 1_900)
  socket.addMembership('239.255.255.250', host)
  return socket
}
