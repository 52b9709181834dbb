/** Peers met before: how a node finds its network again when those it was told of are gone. */
import { CODE_P2P } from '@multiformats/multiaddr'
import type { Node } from './node.ts'
import { nearestKnown, positionOf } from './routing.ts'
import { keys } from '../store/keys.ts'
import type { Store } from '../store/types.ts'

/** Peers whose addresses are kept; one that still lives there is enough. */
const MAX_CONTACTS = 20
/** Of one peer: it may listen on several interfaces. */
const MAX_ADDRESSES = 3

/** The addresses kept, on disk. Value: a JSON array of multiaddrs with peer ids. */
export class Contacts {
  readonly #store: Store
  #addresses: readonly string[]

  constructor(store: Store) {
    this.#store = store
    const value = store.get(keys.contacts())
    this.#addresses = value === undefined ? [] : (JSON.parse(new TextDecoder().decode(value)) as string[])
  }

  addresses(): readonly string[] {
    return this.#addresses
  }

  /** Whoever has met nobody keeps those met before. Throws StoreError. */
  keep(addresses: readonly string[]): void {
    if (addresses.length === 0 || addresses.join() === this.#addresses.join()) return
    this.#store.put(keys.contacts(), new TextEncoder().encode(JSON.stringify(addresses)))
    this.#addresses = addresses
  }
}

/** Where the peers of the table listen, those near us first. */
export async function contactsOf(node: Node): Promise<string[]> {
  const peers = nearestKnown(node, positionOf(node.peerId), MAX_CONTACTS)
  const found = await Promise.all(
    peers.map(async (peer) => {
      if (!(await node.peerStore.has(peer))) return []
      const { addresses } = await node.peerStore.get(peer)
      return addresses.slice(0, MAX_ADDRESSES).map(({ multiaddr }) => `${multiaddr.decapsulateCode(CODE_P2P).toString()}/p2p/${peer.toString()}`)
    })
  )
  return found.flat()
}
