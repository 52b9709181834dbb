/** Peers that hear each other by multicast on loopback, with real sockets. */
import { createSocket, type Socket } from 'node:dgram'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Bootstrap } from '../../../src/network/bootstrap/bootstrap.ts'
import { LocalPeers } from '../../../src/network/bootstrap/mdns.ts'
import { toHex } from '../../../src/protocol/encoding/bytes.ts'
import { builtInProfiles } from '../../../src/protocol/profile/built-in.ts'
import { type NetworkProfile, parseProfile, profileHash } from '../../../src/protocol/profile/profile.ts'
import { openStore } from '../../../src/store/open.ts'
import { temporary } from '../../temporary.ts'

const IDS = [
  '12D3KooWHCSCJ8b55Ucb6SrPyMoaCSQJvt6LD5Wb1t5QU3xU5CMY',
  '12D3KooWGRUVh5W3rJVn2ZqGhVyJgYVRTxCUEXnTxFSbYjdhDFqr',
  '12D3KooWQYhTNQdmr3ArTeUHRYzFg94BKyTkoWBDWez9kSCVe2Xo'
]
const at = (index: number, port = 7469): string => `/ip4/127.0.0.1/tcp/${port}/p2p/${IDS[index]!}`
const log = { info: () => undefined, warn: () => undefined }

let ends: (() => unknown)[]
let looks: (() => void)[]
/** Tests that run at the same time do not hear each other. */
let network: string

const timers = { every: (_interval: number, action: () => void) => (looks.push(action), () => undefined) }
const local = (index: number, of = network, own = [at(index)]): LocalPeers => {
  const peers = new LocalPeers({ network: of, loopbackOnly: true, timers, log, own: () => own })
  ends.push(() => peers.close())
  return peers
}
/** Asks again until it is so: a datagram may be lost. */
const eventually = async (found: () => unknown, expected: unknown): Promise<void> => {
  await expect
    .poll(
      () => {
        for (const look of looks) look()
        return found()
      },
      { interval: 600 }
    )
    .toEqual(expected)
}

beforeEach(() => {
  ends = []
  looks = []
  network = randomBytes(6).toString('hex')
})

afterEach(async () => {
  for (const end of ends.reverse()) await end()
})

describe('peers on a machine', () => {
  it('hear those of their own network, and not themselves', async () => {
    const [first, second, other] = [local(0), local(1), local(2, randomBytes(6).toString('hex'))]
    await eventually(() => [first.addresses(), second.addresses()], [[at(1)], [at(0)]])
    expect(other.addresses()).toEqual([])
  })

  it('tell at most six addresses, those on loopback to this machine alone', async () => {
    const many = Array.from({ length: 9 }, (_, port) => at(0, port + 1))
    local(0, network, [`/ip4/192.168.1.5/tcp/7469/p2p/${IDS[0]!}`, ...many])
    const second = local(1)
    await eventually(() => second.addresses(), many.slice(0, 6))
  })

  it('take nothing of what is cut short, names no peer, or is a name', async () => {
    local(0)
    const heard = await heardAnswer()
    const socket = await speaker()
    const say = (message: Buffer): void => socket.send(message, 5353, '224.0.0.251')
    const text = `dnsaddr=${at(1)}`
    expect(heard.includes('dnsaddr=')).toBe(true)
    const second = local(2)
    for (const other of [
      'dnsaddr=/dnsaddr/evil.example',
      'dnsaddr=/dns4/evil.example/tcp/1',
      'dnsaddr=/ip4/127.0.0.1/tcp/1',
      'none'
    ])
      say(withText(heard, other))
    for (let length = 0; length < heard.length; length += 7) say(heard.subarray(0, length))
    for (let byte = 12; byte < heard.length; byte += 5) {
      const broken = Buffer.from(withText(heard, text))
      broken[byte] = 0xff
      if (byte < broken.length - text.length) say(broken)
    }
    // What comes after them was heard after them.
    await eventually(() => {
      say(withText(heard, text))
      return second.addresses().includes(at(1))
    }, true)
    expect(second.addresses().filter((address) => !address.includes('/p2p/') || address.includes('evil'))).toEqual([])
  })

  it('remember the 32 that were heard last', async () => {
    const second = local(2)
    local(0)
    const heard = await heardAnswer()
    const socket = await speaker()
    const flood = (): unknown => {
      for (let index = 0; index < 80; index++) {
        const id = `12D3KooWHCSCJ8b55Ucb6SrPyMoaCSQJvt6LD5Wb1t5QU3xU5C${'ABCDEFGHJK'[index % 10]!}${'ABCDEFGH'[Math.floor(index / 10)]!}`
        socket.send(withText(heard, `dnsaddr=/ip4/127.0.0.1/tcp/1/p2p/${id}`), 5353, '224.0.0.251')
      }
      return second.addresses().length
    }
    await eventually(flood, 32)
  })

  it('are heard six texts an answer and 64 answers at once, whatever one machine sends', async () => {
    const slow = new LocalPeers({ network, loopbackOnly: true, timers, log, own: () => [at(2)], now: () => 0 })
    ends.push(() => slow.close())
    local(0)
    const other = local(2)
    const heard = await heardAnswer()
    const socket = await speaker()
    await eventually(() => slow.addresses(), [at(0)])
    const many = withText(heard, [...Array.from({ length: 6 }, () => 'dnsaddr=x'), `dnsaddr=${at(1)}`])
    let left = 64
    await eventually(() => {
      for (; left > 0; left--) socket.send(many, 5353, '224.0.0.251')
      socket.send(withText(heard, `dnsaddr=${at(1)}`), 5353, '224.0.0.251')
      return other.addresses().includes(at(1))
    }, true)
    expect(slow.addresses()).toEqual([at(0)])
  })

  it('are looked for where the scope of the network allows it, and not on a public one', async () => {
    const start = (profile: NetworkProfile, mdns: boolean, index: number): Bootstrap => {
      const store = openStore(join(temporary(), 'chronym.db'))
      const bootstrap = new Bootstrap({ bootstrap: [], mdns, profile, store, clock: { nowMs: () => 0 }, log })
      ends.push(
        bootstrap.start(timers, () => [at(index)]),
        () => store.close()
      )
      return bootstrap
    }
    const ours = parseProfile({ ...builtInProfiles.local, id: network })
    const open = parseProfile({ ...builtInProfiles.main, id: network })
    const [on, off, closed] = [start(ours, true, 0), start(ours, false, 1), start(open, true, 1)]
    const nameOf = (profile: NetworkProfile): string => toHex(profileHash(profile)).slice(0, 12)
    const [beside, besideOpen] = [local(2, nameOf(ours)), local(2, nameOf(open))]
    await eventually(() => [on.addresses(), beside.addresses()], [[at(2)], [at(0)]])
    expect([off.addresses(), closed.addresses(), besideOpen.addresses()]).toEqual([[], [], []])
    expect(on.expectsOthers).toBe(false)
  })
})

async function speaker(): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true })
  socket.bind(5353)
  await once(socket, 'listening')
  socket.setMulticastInterface('127.0.0.1')
  socket.addMembership('224.0.0.251', '127.0.0.1')
  ends.push(() => void socket.close())
  return socket
}

/** An answer of a peer, as it goes over the wire. */
async function heardAnswer(): Promise<Buffer> {
  const socket = await speaker()
  const name = Buffer.from(`_chronym-${network}`)
  let heard: Buffer | undefined
  socket.on('message', (message) => {
    if (message[2] === 0x84 && message.includes(name)) heard = message
  })
  await eventually(() => heard !== undefined, true)
  return heard!
}

/** The same answer with other texts. */
function withText(answer: Buffer, texts: string | readonly string[]): Buffer {
  const start = answer.indexOf('dnsaddr=') - 1
  const data = Buffer.concat([texts].flat().flatMap((text) => [Buffer.from([text.length]), Buffer.from(text)]))
  const whole = Buffer.concat([answer.subarray(0, start), data])
  whole.writeUInt16BE(data.length, start - 2)
  return whole
}
