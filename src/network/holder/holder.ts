/** What this node holds for the network, and its answers to the four requests. */
import type { KeyPair } from '../../protocol/ed25519.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile.ts'
import { encodeReceipt, signReceipt, type Receipt } from '../../protocol/receipt.ts'
import type { RecordKind } from '../../protocol/record-key.ts'
import type { Store } from '../../store/types.ts'
import type { RoundClock } from '../clock.ts'
import type { Peers } from '../peers.ts'
import { refused } from '../protocol/answers.ts'
import type { GetAnswer } from '../protocol/get.ts'
import { LIST_PAGE_ENTRIES, type ListAnswer, type ListedEntry, type ListRequest } from '../protocol/list.ts'
import type { PutAnswer } from '../protocol/put.ts'
import type { Handlers } from '../protocol/serve.ts'
import type { Verifier } from '../verifier.ts'
import { createVerificationBudget } from './budget.ts'
import { createCommitments, type Commitments } from './commitments.ts'
import { DocumentHolder } from './documents.ts'
import { createEntries, type Entries } from './entries.ts'
import { createOwnerLookup } from './owner.ts'
import { OURSELVES, RevealHolder } from './reveals.ts'

export interface HolderParts {
  readonly profile: NetworkProfile
  readonly store: Store
  readonly clock: RoundClock
  readonly verifier: Verifier
  /** Signs receipts. */
  readonly nodeKey: KeyPair
  readonly peers: () => Peers | undefined
  readonly fetchIdentities: (did: string) => Promise<Uint8Array[]>
  readonly onStored: (kind: RecordKind, id: string, state: string) => void
}

export class Holder {
  readonly entries: Entries
  readonly reveals: RevealHolder
  readonly documents: DocumentHolder
  readonly commitments: Commitments
  readonly #profileHash: Uint8Array
  readonly #nodeKey: KeyPair

  constructor(parts: HolderParts) {
    const { profile, store, clock, verifier, peers, onStored } = parts
    const budget = createVerificationBudget()
    this.#profileHash = profileHash(profile)
    this.#nodeKey = parts.nodeKey
    this.commitments = createCommitments(store, profile, clock)
    this.entries = createEntries(store, profile, clock)
    this.reveals = new RevealHolder({
      profile,
      clock,
      entries: this.entries,
      commitments: this.commitments,
      verifier,
      budget,
      peers,
      onStored: (name, state) => {
        onStored('reveal', name, state)
      }
    })
    this.documents = new DocumentHolder({
      profile,
      clock,
      store,
      budget,
      isNear: (key) => this.reveals.isNear(key),
      ownerOf: createOwnerLookup({ profile, clock, entries: this.entries, verifier, peers }),
      fetchIdentities: parts.fetchIdentities,
      onStored: (did, kind) => {
        onStored(kind, did, 'stored')
      }
    })
  }

  /** Answers to peers. */
  handlers(): Handlers {
    return {
      commit: ({ commitment, nonce }, { prefix }) => {
        const receipt = this.commit(commitment, nonce, prefix)
        if (receipt === 'stamp') return refused('stamp', 'the stamp has too few zero bits')
        if (receipt === 'full') return refused('full', 'too many open commitments')
        return { type: 'received', receipt: encodeReceipt(receipt) }
      },
      put: ({ kind, record }, { peer }) => this.put(kind, record, peer.toString()),
      get: ({ kind, key }) => this.get(kind, key),
      list: (request) => this.list(request),
      commitments: ({ after }) => this.commitments.page(after)
    }
  }

  /** Keeps a commitment and says since when; or why not. */
  commit(commitment: Uint8Array, nonce: Uint8Array, prefix: string): Receipt | 'stamp' | 'full' {
    const received = this.commitments.receive(commitment, nonce, prefix)
    return 'refused' in received ? received.refused : signReceipt(commitment, received.seen, this.#nodeKey, this.#profileHash)
  }

  put(kind: RecordKind, record: Uint8Array, peer: string = OURSELVES): Promise<PutAnswer> {
    switch (kind) {
      case 'reveal':
        return this.reveals.offer(record, peer)
      case 'kid':
        return this.documents.offerIdentity(record, peer)
      case 'manifest':
        return this.documents.offerManifest(record, peer)
    }
  }

  get(kind: RecordKind, key: Uint8Array): GetAnswer {
    if (kind === 'reveal') {
      const held = this.entries.load(key)
      if (held === undefined) return { type: 'none' }
      const { entry, record } = held
      return { type: 'entry', state: entry.state, claim: entry.claim.id, ...(record !== undefined && { record }) }
    }
    const record = this.documents.get(kind, key)
    return record === undefined ? { type: 'none' } : { type: 'document', record }
  }

  list({ key, bits, after }: Omit<ListRequest, 'type'>): ListAnswer {
    const entries: ListedEntry[] = []
    for (const [found, { state, claim }] of this.entries.under(key, bits, after)) {
      if (entries.length === LIST_PAGE_ENTRIES) return { type: 'listed', entries, more: true }
      entries.push({ key: found, state, claim: claim.id, ...(!this.entries.isStub(found) && { record: claim.recordHash }) })
    }
    return { type: 'listed', entries, more: false }
  }

  /** Records held for the network. */
  count(): number {
    return this.entries.count() + this.documents.count()
  }
}
