/** Kad-dht's own trie of peers. The queue of pings around it is left out: a ping is a dial in virtual time. */
import type { PeerId } from '@libp2p/interface'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Bucket } from '../../../../src/network/kad/near-table.ts'
import { positionOf } from '../../../../src/network/position.ts'

interface Contact {
  readonly peerId: PeerId
  readonly kadId: Uint8Array
  lastPing: number
}

interface Trie {
  readonly root: Bucket
  addSelfPeer(peer: PeerId): Promise<void>
  add(peer: PeerId): Promise<void>
  remove(kadId: Uint8Array): Promise<void>
  count(): number
}

interface TrieInit {
  readonly kBucketSize: number
  readonly verify: (contact: Contact) => Promise<boolean>
  /** Yields those that do not answer. */
  readonly ping: (contacts: readonly Contact[]) => AsyncGenerator<Contact>
  readonly onAdd: (contact: Contact) => Promise<void>
}

/** Not among kad-dht's exports. */
const file = join(createRequire(import.meta.url).resolve('@libp2p/kad-dht'), '../routing-table/k-bucket.js')
const { KBucket } = (await import(pathToFileURL(file).href)) as {
  KBucket: new (components: { readonly peerId: PeerId }, init: TrieInit) => Trie
}

/** What `src/network` uses of kad-dht's routing table. */
export class SimTable extends EventTarget {
  readonly kb: Trie

  /** `isAlive`: whether a peer can be dialled. */
  constructor(own: PeerId, k: number, isAlive: (peer: PeerId) => Promise<boolean>) {
    super()
    this.kb = new KBucket(
      { peerId: own },
      {
        kBucketSize: k,
        verify: ({ peerId }) => isAlive(peerId),
        ping: async function* (contacts) {
          for (const contact of contacts) {
            if (await isAlive(contact.peerId)) contact.lastPing = Date.now()
            else yield contact
          }
        },
        onAdd: ({ peerId }) => {
          this.dispatchEvent(new CustomEvent('peer:add', { detail: peerId }))
          return Promise.resolve()
        }
      }
    )
  }

  get size(): number {
    return this.kb.count()
  }

  add(peer: PeerId): Promise<void> {
    return this.kb.add(peer)
  }

  remove(peer: PeerId): Promise<void> {
    return this.kb.remove(positionOf(peer))
  }

  queueRoutingTableUpdate(peer: PeerId): void {
    void this.add(peer)
  }
}
