/** A thousand identities that send garbage. Their own process keeps their load out of the victim's event loop. */
import { generateKeyPairFromSeed } from '@libp2p/crypto/keys'
import { noise } from '@libp2p/noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import type { Connection, Stream } from '@libp2p/interface'
import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { createLibp2p } from 'libp2p'
import { readFrame } from '../../src/network/wire/frame.ts'
import { registryProtocol } from '../../src/network/wire/messages.ts'
import { decodeCanonical } from '../../src/protocol/encoding/cbor.ts'
import { GARBAGE, UNPUNISHED } from './garbage.ts'
import type { GarbageKind } from './kinds.ts'
import type { FlooderFigures, FlooderStart, Tally } from './messages.ts'
import { FLOOD_PROFILE } from './profile.ts'

/**
 * Requests of one session, and how many run at once. The victim never disconnects a flooder that sends only unpunished
 * requests.
 */
const REQUESTS = { punished: 40, unpunished: 150 }
const AT_ONCE = 4
/** Milliseconds until an identity whose connection was refused gives its turn to the next one. */
const REFUSED_PAUSE_MS = 200
const ANSWER_TIMEOUT_MS = 10_000

const PROTOCOL = registryProtocol(FLOOD_PROFILE)
const KINDS = Object.keys(GARBAGE) as GarbageKind[]

const tally: Tally = {}
const connections: Record<string, number> = {}
const used = new Set<number>()
let sessions = 0
let ended = false

const count = (counts: Record<string, number>, key: string): void => {
  counts[key] = (counts[key] ?? 0) + 1
}

process.once('message', (message) => {
  const start = message as FlooderStart
  let next = 0
  for (let lane = 0; lane < start.together; lane++) void flood(start, () => next++ % start.identities)
  const finish = async (): Promise<void> => {
    // On a busy machine a short flood would end before every kind has been answered.
    while (
      used.size < Math.min(start.together + 1, start.identities) ||
      KINDS.some((kind) => Object.keys(tally[kind] ?? {}).length === 0)
    )
      await setTimeout(100)
    ended = true
    process.send!({ sessions, identities: used.size, connections, tally } satisfies FlooderFigures, () =>
      process.exit()
    )
  }
  process.on('message', () => void finish())
  process.on('disconnect', () => process.exit())
})

async function flood(start: FlooderStart, turn: () => number): Promise<void> {
  while (!ended) await session(start, turn())
}

async function session({ address, prefixes, seed }: FlooderStart, identity: number): Promise<void> {
  const prefix = identity % prefixes
  const node = await createLibp2p({
    privateKey: await generateKeyPairFromSeed(
      'Ed25519',
      createHash('sha256').update(`flood ${seed} ${identity}`).digest()
    ),
    addresses: { listen: [] },
    transports: [
      tcp({ dialOpts: { localAddress: `127.${1 + (prefix >> 8)}.${prefix & 255}.1` } } as Parameters<typeof tcp>[0])
    ],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionGater: { denyDialMultiaddr: () => false }
  })
  sessions++
  used.add(identity)
  try {
    const connection = await node.dial(multiaddr(address), { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
    count(connections, 'made')
    let kind = identity + sessions
    const [kinds, requests] = identity % 2 === 0 ? [KINDS, REQUESTS.punished] : [UNPUNISHED, REQUESTS.unpunished]
    let left = requests
    const worker = async (): Promise<void> => {
      while (left-- > 0 && connection.status === 'open' && !ended) await send(connection, kinds[kind++ % kinds.length]!)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    count(connections, connection.status === 'open' ? 'kept to the end' : 'closed by the victim')
  } catch (error) {
    count(connections, `refused (${(error as NodeJS.ErrnoException).code ?? (error as Error).name})`)
    await setTimeout(REFUSED_PAUSE_MS)
  } finally {
    await node.stop()
  }
}

async function send(connection: Connection, kind: GarbageKind): Promise<void> {
  const answers = (tally[kind] ??= {})
  let stream: Stream | undefined
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
    stream = await connection.newStream(PROTOCOL, { signal })
    const open = stream
    signal.addEventListener('abort', () => {
      open.abort(new Error('no answer in time'))
    })
    const answer = readFrame(open)
    // Its error is handled below, even if it comes early.
    answer.catch(() => undefined)
    if (!open.send(GARBAGE[kind]())) await open.onDrain({ signal })
    const value = decodeCanonical(await answer, { maxBytes: 2 ** 20, maxDepth: 4 }) as { type: string; code?: string }
    count(answers, value.code === undefined ? value.type : `${value.type}: ${value.code}`)
    await open.close()
  } catch (error) {
    count(answers, /in time|aborted due to timeout/.test((error as Error).message) ? 'no answer' : 'cut off')
    stream?.abort(error as Error)
  }
}
