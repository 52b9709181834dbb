/**
 * A process of strangers: it dials a daemon and is dialled by it, and sends each connection what no honest peer sends.
 * Says where it listens, then takes the address of the daemon, and says how much it sent.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { parseProfile } from '../../src/protocol/profile/profile.ts'
import { attacksOn } from '../network/stranger-attacks.ts'
import { RawPeer, type RawConnection } from '../network/raw-peer.ts'

export interface Order {
  readonly address: string
  readonly seconds: number
}

export interface Sent {
  readonly connections: number
  readonly bytes: number
}

/** Of one connection: 512 MiB would take all of a small machine's memory. */
const MOST_BYTES = 512 * 2 ** 20

/** After a dial that was refused. */
const PAUSE_MS = 100

/** Each in a /24 of its own, so that the rate of one prefix does not end them. */
const DIALLERS = ['127.10.0.1', '127.11.0.1', '127.12.0.1']

/** One kind alone, where HOSTILE_PEER_KIND names it. */
const attacks = attacksOn(parseProfile(JSON.parse(readFileSync(process.argv[2]!, 'utf8')))).filter(({ what }) =>
  what.includes(process.env['HOSTILE_PEER_KIND'] ?? '')
)
const listener = await RawPeer.start({ place: '127.20.0.1' })
process.send!(listener.address)
const [{ address, seconds }] = (await once(process, 'message')) as [Order]

const until = Date.now() + seconds * 1_000
const isOver = (): boolean => Date.now() > until
let connections = 0
let bytes = 0

async function attack(connection: RawConnection, stream: number): Promise<void> {
  const { bytes: wanted } = attacks[connections++ % attacks.length]!
  const sent = wanted(stream)
  while (connection.isOpen && !isOver() && connection.sent < MOST_BYTES) await connection.send(sent)
  bytes += connection.sent
  connection.hangUp()
}

async function dialAgain(peer: RawPeer): Promise<void> {
  while (!isOver()) {
    const connection = await peer.dial(address).catch(() => undefined)
    if (connection === undefined) await setTimeout(PAUSE_MS)
    else await attack(connection, 1)
  }
}

async function acceptAll(): Promise<void> {
  for (;;) await attack(await listener.accept(), 2)
}

void acceptAll()
await Promise.all(DIALLERS.map(async (place) => dialAgain(await RawPeer.start({ place }))))
const sent: Sent = { connections, bytes }
process.send!(sent)
