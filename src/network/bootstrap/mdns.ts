/**
 * mDNS (RFC 6762), as libp2p's specification of discovery has it: daemons of one network of scope `loopback` or `test`
 * find each other on a machine or a link. IPv4 alone.
 */
import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import type { Logger } from 'pino'
import type { Clock } from '../../time/clock.ts'
import { isLoopback, peerOf, specialRange } from '../transport/addresses.ts'
import { parseAddress } from '../node.ts'
import { TokenBuckets } from '../../util/token-buckets.ts'
import { isPeerAddress } from './names.ts'

const GROUP = '224.0.0.251'
const PORT = 5353
const HERE = '127.0.0.1'

const ASK_MS = 10_000
/** One answer in this time serves all who asked. */
const ANSWER_PAUSE_MS = 500

const MAX_PEERS = 32
/** Of one peer, told and heard. */
const MAX_ADDRESSES = 6
/** Answers that are read: each costs some parsing, and anybody on the link can send them without end. */
const ANSWERS = { perSecond: 20, burst: 64 }

const HEADER_BYTES = 12
const TYPE_PTR = 12
const TYPE_TXT = 16
const TTL_SECONDS = 120

export interface LocalPeersOptions {
  /** Networks with other names do not hear each other. */
  readonly network: string
  /** Asks on this machine alone. */
  readonly loopbackOnly: boolean
  readonly timers: Pick<Clock, 'every'>
  readonly log: Pick<Logger, 'info'>
  /** Multiaddrs with peer id where this node listens. */
  readonly own: () => readonly string[]
  /** Milliseconds of a clock that only goes on. */
  readonly now?: () => number
}

export class LocalPeers {
  readonly #options: LocalPeersOptions
  readonly #service: Buffer
  /** Random, as the specification has it: what is told has the peer id. */
  readonly #instance: Buffer
  readonly #sockets = new Map<string, Socket>()
  readonly #found = new Map<string, readonly string[]>()
  readonly #budget: TokenBuckets
  readonly #endAsking: () => void
  #answeredAt = 0
  #hasTold = false
  #isClosed = false

  /** Asks at once, and again until it is closed. */
  constructor(options: LocalPeersOptions) {
    this.#options = options
    this.#budget = new TokenBuckets({ ...ANSWERS, keys: 256, now: options.now ?? (() => performance.now()) })
    this.#service = domainName([`_chronym-${options.network}`, '_udp', 'local'])
    this.#instance = Buffer.concat([domainName([randomBytes(16).toString('hex')]).subarray(0, -1), this.#service])
    this.#ask()
    this.#endAsking = options.timers.every(ASK_MS, () => this.#ask())
  }

  /** Of the peers that were heard, those heard last at the end. */
  addresses(): readonly string[] {
    return [...this.#found.values()].flat()
  }

  close(): void {
    this.#endAsking()
    this.#isClosed = true
    for (const socket of this.#sockets.values()) end(socket)
    this.#sockets.clear()
  }

  /** Interfaces come and go, so they are looked at each time. */
  #ask(): void {
    const present = new Set([HERE, ...(this.#options.loopbackOnly ? [] : ownAddresses())])
    for (const [at, socket] of this.#sockets) {
      if (present.has(at)) this.#send(socket, question(this.#service))
      else {
        this.#sockets.delete(at)
        end(socket)
      }
    }
    for (const at of present) if (!this.#sockets.has(at)) this.#open(at)
  }

  #open(at: string): void {
    const socket = createSocket({ type: 'udp4', reuseAddr: true })
    socket.unref()
    socket.on('error', (error) => {
      this.#sockets.delete(at)
      end(socket)
      if (!this.#hasTold)
        this.#options.log.info({ reason: error.message }, 'peers on this link are not looked for by mDNS')
      this.#hasTold = true
    })
    socket.on('message', (message, { address }) => this.#hear(message, address))
    socket.bind(PORT, () => {
      try {
        socket.addMembership(GROUP, at)
        socket.setMulticastInterface(at)
        socket.setMulticastTTL(255)
      } catch (error) {
        socket.emit('error', error)
        return
      }
      if (this.#isClosed) {
        end(socket)
        return
      }
      this.#sockets.set(at, socket)
      this.#send(socket, question(this.#service))
    })
  }

  /** A network may be gone between two looks: the next one tries again. */
  #send(socket: Socket, message: Buffer): void {
    socket.send(message, PORT, GROUP, () => undefined)
  }

  #hear(message: Buffer, from: string): void {
    // Who is not on a link of this machine could only be an attacker: the group is never routed.
    if (
      specialRange(from) === undefined ||
      !message.subarray(HEADER_BYTES).subarray(0, this.#service.length).equals(this.#service)
    )
      return
    if (message.length >= HEADER_BYTES && message[2]! < 0x80) this.#answer()
    else if (this.#budget.tryTake(from, 1) === 0) this.#note(message)
  }

  #answer(): void {
    const now = performance.now()
    if (now - this.#answeredAt < ANSWER_PAUSE_MS) return
    this.#answeredAt = now
    const own = this.#options.own()
    for (const [at, socket] of this.#sockets) {
      const told = own.filter((address) => isLoopback(parseAddress(address)) === (at === HERE)).slice(0, MAX_ADDRESSES)
      if (told.length > 0) this.#send(socket, answer(this.#service, this.#instance, told))
    }
  }

  #note(message: Buffer): void {
    const own = new Set(this.#options.own().map(peerOf))
    const addresses = addressesIn(message, HEADER_BYTES + this.#service.length).filter(isPeerAddress)
    const peer = addresses[0] === undefined ? undefined : peerOf(addresses[0])
    if (peer === undefined || own.has(peer)) return
    const known = this.#found.get(peer) ?? []
    const all = [...new Set([...addresses.filter((address) => peerOf(address) === peer), ...known])]
    this.#found.delete(peer)
    this.#found.set(peer, all.slice(0, MAX_ADDRESSES))
    if (this.#found.size > MAX_PEERS) this.#found.delete(this.#found.keys().next().value!)
  }
}

function end(socket: Socket): void {
  socket.removeAllListeners().on('error', () => undefined)
  socket.close()
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address)
  )
}

function domainName(labels: readonly string[]): Buffer {
  return Buffer.from(
    [...labels.map((label) => `${String.fromCharCode(label.length)}${label}`), '\0'].join(''),
    'latin1'
  )
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index)
  return bytes
}

function question(service: Buffer): Buffer {
  return Buffer.concat([numbers(0, 0, 1, 0, 0, 0), service, numbers(TYPE_PTR, 1)])
}

function answer(service: Buffer, instance: Buffer, addresses: readonly string[]): Buffer {
  const record = (name: Buffer, type: number, data: Buffer): Buffer =>
    Buffer.concat([name, numbers(type, 1, 0, TTL_SECONDS, data.length), data])
  const texts = addresses.map((address) => domainName([`dnsaddr=${address}`]).subarray(0, -1))
  const header = numbers(0, 0x8400, 0, 1, 0, 1)
  return Buffer.concat([header, record(service, TYPE_PTR, instance), record(instance, TYPE_TXT, Buffer.concat(texts))])
}

/** The multiaddrs of an answer of the form above, whose first record goes on at `at`; none of any other. */
function addressesIn(message: Buffer, at: number): string[] {
  try {
    const instance = message.subarray(at + 10, at + 10 + message.readUInt16BE(at + 8))
    const second = at + 10 + instance.length
    if (!message.subarray(second, second + instance.length).equals(instance)) return []
    const head = second + instance.length
    if (message.readUInt16BE(at) !== TYPE_PTR || message.readUInt16BE(head) !== TYPE_TXT) return []
    const texts: string[] = []
    const end = head + 10 + message.readUInt16BE(head + 8)
    for (let next = head + 10; next < end && texts.length < MAX_ADDRESSES; next += 1 + message[next]!)
      texts.push(message.toString('latin1', next + 1, next + 1 + message.readUInt8(next)))
    return texts.filter((text) => text.startsWith('dnsaddr=')).map((text) => text.slice('dnsaddr='.length))
  } catch {
    // It is cut short.
    return []
  }
}
