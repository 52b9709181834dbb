/** What this node holds for the network, and its answers to requests. */
import type { DocumentJudge } from '../../native/types.ts'
import { sha256 } from '../../protocol/encoding/bytes.ts'
import type { Origin } from '../../protocol/neighbourhood/diversity.ts'
import type { KeyPair } from '../../protocol/crypto/ed25519.ts'
import { profileHash, type NetworkProfile } from '../../protocol/profile/profile.ts'
import { changesHeld } from '../../protocol/admission/key-changes.ts'
import { encodeReceipt, signReceipt, type Receipt } from '../../protocol/claim/commitment.ts'
import type { RecordKind } from '../../protocol/neighbourhood/key-space.ts'
import { codedTable } from '../../store/keys.ts'
import type { Store } from '../../store/types.ts'
import { type Budget, OURSELVES } from '../budget/budget.ts'
import type { FoundDocuments } from '../types.ts'
import { type RoundClock, systemClock } from '../../time/clock.ts'
import type { Peers } from '../peers.ts'
import { BUSY, refused } from '../wire/answers.ts'
import type { GetAnswer, PutAnswer } from '../wire/records.ts'
import { LIST_PAGE_ENTRIES, type ListAnswer, type ListedEntry, type ListRequest } from '../wire/list.ts'
import type { Handlers } from '../wire/exchange.ts'
import type { Verifier } from './verifier.ts'
import { type Commitments, createCommitments } from './commitments.ts'
import { DocumentHolder } from './identities/documents.ts'
import { createEntries, type Entries } from './names/entries.ts'
import { createOwners } from './identities/carriers.ts'
import { DEFAULT_HOLDER_LIMITS, type HolderLimits, Capacity } from './capacity.ts'
import { Pages } from './pages.ts'
import { CodedHolder } from './names/coded.ts'
import { RevealHolder } from './names/reveals.ts'
import { StampedIdentities } from './identities/held-documents.ts'

/** Commitments received within this time are written together: at most ten disk waits a second. */
const GATHER_MS = 100

export interface HolderParts {
  readonly profile: NetworkProfile
  readonly store: Store
  readonly clock: RoundClock
  readonly verifier: Verifier
  readonly judge: DocumentJudge
  /** Default: DEFAULT_HOLDER_LIMITS. */
  readonly limits?: HolderLimits
  readonly budget: Budget
  readonly nodeKey: KeyPair
  readonly peers: () => Peers | undefined
  readonly fetchIdentities: (did: string) => Promise<FoundDocuments>
  readonly onStored: (kind: RecordKind, id: string, state: string) => void
  /** Bytes by chance, for where its rounds begin; `randomBytes` by default. */
  readonly random?: (length: number) => Uint8Array
}

export class Holder {
  readonly entries: Entries
  readonly reveals: RevealHolder
  readonly coded: CodedHolder
  readonly documents: DocumentHolder
  readonly commitments: Commitments
  readonly budget: Budget
  readonly #clock: RoundClock
  readonly #profile: NetworkProfile
  readonly #profileHash: Uint8Array
  readonly #nodeKey: KeyPair
  readonly #pages: Pages
  #writing: Promise<void> | undefined

  constructor(parts: HolderParts) {
    const { profile, store, clock, verifier, peers, onStored } = parts
    const { budget } = parts
    this.budget = budget
    this.#clock = clock
    this.#profile = profile
    this.#profileHash = profileHash(profile)
    this.#nodeKey = parts.nodeKey
    this.#pages = new Pages(budget)
    this.entries = createEntries(store, profile, clock)
    this.commitments = createCommitments(store, profile, clock, undefined, this.entries.lastArrival())
    const stamped = new StampedIdentities(store)
    const capacity = new Capacity(store, this.entries, stamped, parts.limits ?? DEFAULT_HOLDER_LIMITS)
    this.reveals = new RevealHolder({
      profile,
      clock,
      entries: this.entries,
      commitments: this.commitments,
      verifier,
      budget,
      capacity,
      peers,
      onStored: (name, state) => {
        onStored('reveal', name, state)
      }
    })
    this.coded = new CodedHolder({
      profile,
      clock,
      entries: createEntries(store, profile, clock, codedTable),
      verifier,
      budget,
      capacity,
      isNear: (key) => this.reveals.isNear(key),
      peers,
      onStored: (name) => {
        onStored('coded', name, 'stored')
      }
    })
    this.documents = new DocumentHolder({
      profile,
      clock,
      store,
      budget,
      capacity,
      stamped,
      judge: parts.judge,
      isNear: (key) => this.reveals.isNear(key),
      owners: createOwners({ profile, clock, entries: this.entries, verifier, peers }),
      fetchIdentities: parts.fetchIdentities,
      ...(parts.random !== undefined && { random: parts.random }),
      onStored: (did, kind) => {
        onStored(kind, did, 'stored')
      }
    })
  }

  handlers(): Omit<Handlers, 'find' | 'reach'> {
    return {
      commit: async ({ commitment, nonce }, sender) => {
        if (!this.budget.commit(sender)) return BUSY
        const received = this.commitments.receive(commitment, nonce, sender.prefix)
        if ('seen' in received) {
          await this.#written()
          return { type: 'received', receipt: encodeReceipt(this.#receipt(commitment, received.seen)) }
        }
        return received.refused === 'stamp'
          ? refused('stamp', 'the stamp has too few zero bits')
          : refused('full', 'too many open commitments')
      },
      put: ({ kind, record }, sender) => this.put(kind, record, sender),
      get: ({ kind, key, brief }) => (brief === true ? withDigest(this.get(kind, key)) : this.get(kind, key)),
      list: (request, sender) => {
        const page = this.list(request)
        return this.#pages.read(sender, () => page.next().value)
      },
      commitments: ({ after }, sender) => this.#pages.read(sender, () => this.commitments.page(after)),
      time: () => ({ type: 'time', now: this.#clock.nowMs() })
    }
  }

  /** Keeps a commitment of this daemon and returns a receipt, or the reason against it. */
  commit(commitment: Uint8Array, nonce: Uint8Array, prefix: string): Receipt | 'stamp' | 'full' {
    const received = this.commitments.receive(commitment, nonce, prefix)
    if ('refused' in received) return received.refused
    this.commitments.flush()
    return this.#receipt(commitment, received.seen)
  }

  put(kind: RecordKind, record: Uint8Array, sender: Origin = OURSELVES): Promise<PutAnswer> {
    switch (kind) {
      case 'reveal':
        return this.reveals.offer(record, sender)
      case 'coded':
        return this.coded.offer(record, sender)
      case 'kid':
        return this.documents.offerIdentity(record, sender)
      case 'manifest':
        return this.documents.offerManifest(record, sender)
    }
  }

  get(kind: RecordKind, key: Uint8Array): GetAnswer {
    if (kind === 'reveal' || kind === 'coded') {
      const held = (kind === 'reveal' ? this.entries : this.coded.entries).load(key)
      if (held === undefined) return { type: 'none' }
      const { entry, record, notice } = held
      const changes = changesHeld(entry, this.#profile)
      const noticed = entry.notice && changesHeld(entry.notice, this.#profile)
      return {
        type: 'entry',
        state: entry.state,
        claim: entry.claim.id,
        ...(record !== undefined && { record }),
        ...(changes !== undefined && { changes }),
        ...(noticed !== undefined && { notice: { changes: noticed, ...(notice !== undefined && { record: notice }) } })
      }
    }
    const record = this.documents.get(kind, key)
    return record === undefined ? { type: 'none' } : { type: 'document', record }
  }

  /**
   * A page, read in parts of fixed size. Skips dead entries. Ends after the first part that shows any, since the peer
   * continues behind the last entry; otherwise reads another part.
   */
  *list({ key, bits, after, coded }: Omit<ListRequest, 'type'>): Generator<undefined, ListAnswer> {
    const held = coded === true ? this.coded.entries : this.entries
    const entries: ListedEntry[] = []
    let read = 0
    for (const [found, entry] of held.under(key, bits, after)) {
      if (read === LIST_PAGE_ENTRIES) {
        if (entries.length > 0) return { type: 'listed', entries, more: true }
        yield
        read = 0
      }
      read++
      if (entry === undefined) continue
      const changes = changesHeld(entry, this.#profile)
      entries.push({
        key: found,
        state: entry.state,
        claim: entry.claim.id,
        ...(!held.isStub(found) && { record: entry.claim.recordHash }),
        ...(changes !== undefined && { changes }),
        ...(entry.notice && { notice: entry.notice.claim.recordHash })
      })
    }
    return { type: 'listed', entries, more: false }
  }

  #receipt(commitment: Uint8Array, seen: number): Receipt {
    return signReceipt(commitment, seen, this.#nodeKey, this.#profileHash)
  }

  #written(): Promise<void> {
    this.#writing ??= systemClock.sleep(GATHER_MS).then(() => {
      this.#writing = undefined
      this.commitments.flush()
    })
    return this.#writing
  }

  count(): number {
    return this.entries.count() + this.coded.entries.count() + this.documents.count()
  }
}

function withDigest(answer: GetAnswer): GetAnswer {
  if (answer.type === 'document') return { type: 'digest', digest: sha256(answer.record) }
  if (answer.type !== 'entry') return answer
  const { notice } = answer
  return { ...briefly(answer), ...(notice && { notice: briefly(notice) }) }
}

function briefly<T extends { readonly record?: Uint8Array }>(held: T): Omit<T, 'record'> & { digest?: Uint8Array } {
  const { record, ...rest } = held
  return record === undefined ? rest : { ...rest, digest: sha256(record) }
}
