/** Counts the questions and hops of look-ups, from outside: by the key that they ask for. */
import type { PeerId } from '@libp2p/interface'
import type { Finder } from '../../../../src/network/routing/look-ups.ts'
import type { Peer } from '../../../../src/network/peers.ts'
import type { FindAnswer, FindRequest } from '../../../../src/network/wire/find.ts'

interface LookUpCounts {
  /** Peers asked one after the other to the last one found: 1 for a peer of the own table. */
  readonly hops: number
  readonly questions: number
  readonly found: number
}

interface Open {
  questions: number
  readonly hopsTo: Map<string, number>
}

export class LookUpLog {
  readonly #open = new WeakMap<Uint8Array, Open>()
  readonly #onEnd: (counts: LookUpCounts) => void

  constructor(onEnd: (counts: LookUpCounts) => void) {
    this.#onEnd = onEnd
  }

  /** The same finder; each look-up is reported at its end. `known`: the peers of the table that it begins with. */
  watch(finder: Finder, known: (key: Uint8Array) => readonly Peer[]): Finder {
    return {
      answer: (request) => finder.answer(request),
      find: async (key, signal) => {
        const open: Open = {
          questions: 0,
          hopsTo: new Map(known(key).map(({ id }) => [idOf(id.toMultihash().bytes), 1]))
        }
        const own = key.slice()
        this.#open.set(own, open)
        const found = await finder.find(own, signal)
        const hops = Math.max(0, ...found.peers.map((peer) => open.hopsTo.get(idOf(peer.toMultihash().bytes)) ?? 1))
        this.#onEnd({ hops, questions: open.questions, found: found.peers.length })
        return found
      }
    }
  }

  asked({ key }: FindRequest): void {
    const open = this.#open.get(key)
    if (open !== undefined) open.questions++
  }

  answered({ key }: FindRequest, peer: PeerId, answer: FindAnswer): void {
    const open = this.#open.get(key)
    if (open === undefined || answer.type !== 'found') return
    const hops = (open.hopsTo.get(idOf(peer.toMultihash().bytes)) ?? 1) + 1
    for (const named of answer.peers) {
      const id = idOf(named.peer)
      open.hopsTo.set(id, Math.min(hops, open.hopsTo.get(id) ?? Infinity))
    }
  }
}

/** Cheaper than base58: a look-up names hundreds of peers. */
function idOf(multihash: Uint8Array): string {
  return Buffer.from(multihash).toString('latin1')
}
