/** What nodes ask each other, counted alike for real and for simulated ones. Questions without an answer do not count. */
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { PeerId } from '@libp2p/interface'
import { FRAME_BYTES } from '../../sim/network/ledger.ts'
import { encodeMessage, type Answer, type Request } from '../../../src/network/wire/messages.ts'

/**
 * Nodes are quiet once none has had an answer in several looks. All are in this process, so the turns of its event loop
 * give them their time, however busy the machine is; the milliseconds are for threads, which encrypt.
 */
const LOOK_MS = 50
const TURNS = 100
const STILL_LOOKS = 4
const MOST_LOOKS = 2_000

export interface Asked {
  readonly from: PeerId
  readonly to: PeerId
  readonly request: Request
  readonly answer: Answer
}

export interface Counts {
  /** Of records and commitments. */
  readonly questions: number
  /** Of look-ups. */
  readonly finds: number
  /** Of the messages of both kinds, both ways, without what carries them. */
  readonly bytes: number
  /** Of the look-ups, on average: 1 where all that answered were known before. 0 without a look-up. */
  readonly hops: number
  /** Of the messages of all nodes meanwhile, with what carries them as the simulator's ledger has it. */
  readonly carried: number
}

interface Open {
  questions: number
  finds: number
  bytes: number
  readonly known: ReadonlySet<string>
  /** By key, by peer: how many peers were asked one after the other, up to this one. */
  readonly hopsTo: Map<string, Map<string, number>>
  readonly hops: Map<string, number>
}

export class Traffic {
  /** Bytes of all messages so far: of questions, and of those of look-ups. */
  readonly all = { questions: 0, finds: 0 }
  /** Bytes of all so far, with what carries them. */
  #carried = 0
  readonly #open = new Map<string, Open>()

  note({ from, to, request, answer }: Asked): void {
    const bytes = encodeMessage(request).length + encodeMessage(answer).length
    this.all[request.type === 'find' ? 'finds' : 'questions'] += bytes
    this.#carried += bytes + 2 * FRAME_BYTES
    const open = this.#open.get(from.toString())
    if (open === undefined) return
    open.bytes += bytes
    if (request.type !== 'find') {
      open.questions++
      return
    }
    open.finds++
    const key = hex(request.key)
    const hopsTo = open.hopsTo.get(key) ?? new Map<string, number>()
    open.hopsTo.set(key, hopsTo)
    const peer = hex(to.toMultihash().bytes)
    const hops = open.known.has(peer) ? 1 : (hopsTo.get(peer) ?? 1)
    open.hops.set(key, Math.max(hops, open.hops.get(key) ?? 0))
    if (answer.type !== 'found') return
    for (const named of answer.peers) {
      const id = hex(named.peer)
      hopsTo.set(id, Math.min(hops + 1, hopsTo.get(id) ?? Infinity))
    }
  }

  /** Resolves when real nodes ask nothing any more. They come to an end, as their time does not pass. */
  async quiet(): Promise<void> {
    for (let looks = 0, still = 0; still < STILL_LOOKS; looks++) {
      if (looks === MOST_LOOKS) throw new Error('nodes go on asking, though no time passes')
      const before = this.#carried
      await delay(LOOK_MS)
      for (let turns = 0; turns < TURNS; turns++) await turn()
      still = this.#carried === before ? still + 1 : 0
    }
  }

  /** Counts what one node asks while `work` is done. */
  async of<T>(from: PeerId, known: readonly PeerId[], work: () => Promise<T>): Promise<{ result: T; counts: Counts }> {
    const open: Open = {
      questions: 0,
      finds: 0,
      bytes: 0,
      known: new Set(known.map((peer) => hex(peer.toMultihash().bytes))),
      hopsTo: new Map(),
      hops: new Map()
    }
    this.#open.set(from.toString(), open)
    const before = this.#carried
    try {
      const result = await work()
      const { questions, finds, bytes } = open
      const lookUps = [...open.hops.values()]
      const hops = lookUps.length === 0 ? 0 : lookUps.reduce((sum, each) => sum + each, 0) / lookUps.length
      return { result, counts: { questions, finds, bytes, hops, carried: this.#carried - before } }
    } finally {
      this.#open.delete(from.toString())
    }
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
