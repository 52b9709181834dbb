/** A holder among modelled neighbours, in a lab's time and with a store of its own. */
import { join } from 'node:path'
import type { Holder, HolderParts } from '../../src/network/holder/holder.ts'
import type { Peer, Peers } from '../../src/network/peers.ts'
import type { Answer, Request } from '../../src/network/wire/messages.ts'
import type { Origin } from '../../src/protocol/neighbourhood/diversity.ts'
import { isWithin, radius, recordKey } from '../../src/protocol/neighbourhood/key-space.ts'
import type { ChangesHeld } from '../../src/protocol/admission/key-changes.ts'
import type { EntryState } from '../../src/protocol/admission/entry.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import { encodeReveal, type Reveal } from '../../src/protocol/claim/reveal.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/types.ts'
import { temporary } from '../temporary.ts'
import { Lab, labProfile, saltOf } from './lab.ts'
import { labHolder } from './lab-holder.ts'
import { modelledPeer, modelledPeers } from './modelled-peers.ts'

/** Who sends what comes. */
export const PEER: Origin = { peer: 'peer', prefix: 'p' }

interface Neighbour extends Peer {
  answer(request: Request): Answer | Promise<Answer>
}

interface Held {
  readonly reveal: Reveal
  readonly state: EntryState
  readonly withoutRecord?: boolean
  readonly changes?: ChangesHeld
}

interface WorkbenchOptions {
  readonly profile?: Partial<NetworkProfile>
  /** What the store may take. */
  readonly maxPages?: number
}

export class HolderWorkbench {
  readonly lab: Lab
  readonly store: Store
  neighbours: Neighbour[] = []
  /** The result of a look-up, if it differs from the known neighbours. */
  found: Neighbour[] | undefined
  /** Nodes in the network, where there are more than the neighbours and ourselves. */
  size: number | undefined
  /** Why something was held against a neighbour. */
  readonly penalised: string[] = []
  readonly peers: Peers = modelledPeers(
    () => this.neighbours,
    (peer, request) => peer.answer(request),
    {
      networkSize: () => this.#networkSize(),
      isNear: (key) => isWithin(key, new Uint8Array(32), radius(2 * this.lab.profile.k, this.#networkSize())),
      closest: () => Promise.resolve(this.found ?? this.neighbours),
      penalise: (_peer, reason) => this.penalised.push(reason)
    }
  )

  constructor({ profile = {}, maxPages }: WorkbenchOptions = {}) {
    this.store = openStore(join(temporary(), 'chronym.db'), maxPages === undefined ? {} : { maxPages })
    this.lab = new Lab(labProfile(profile))
  }

  #networkSize(): number {
    return this.size ?? this.neighbours.length + 1
  }

  close(): void {
    this.store.close()
  }

  /** On the same store each time. */
  holder(parts: Partial<HolderParts> = {}): Holder {
    return labHolder(this.lab, this.store, {
      peers: () => (this.neighbours.length === 0 ? undefined : this.peers),
      ...parts
    })
  }

  /** Adds neighbours that hold `held`, or nothing. */
  addNeighbours(count: number, held?: Held): void {
    for (let index = 0; index < count; index++)
      this.neighbours.push({ ...modelledPeer(this.neighbours.length), answer: () => this.shown(held) })
  }

  /** What a neighbour answers that holds that, or nothing. */
  shown(held?: Held): Answer {
    if (held === undefined) return { type: 'none' }
    const { reveal, state, withoutRecord = false, changes } = held
    const claim = this.lab.claimId(reveal)
    return {
      type: 'entry',
      state,
      claim,
      ...(!withoutRecord && { record: encodeReveal(reveal) }),
      ...(changes && { changes })
    }
  }

  key(name: string): Uint8Array {
    return recordKey('reveal', name, this.lab.hash)
  }

  /** A claim whose commitment this holder has seen in time. */
  witnessed(target: Holder, name: string, who: string): Reveal {
    const owner = this.lab.owner(who)
    const commitment = this.lab.commitment(name, owner, saltOf(who))
    target.commit(commitment, this.lab.stamp(commitment), 'p')
    this.lab.advance(this.lab.profile.min_commit)
    return this.lab.reveal(name, owner, { p: this.lab.round, salt: saltOf(who) })
  }

  /** What a peer gets that puts a record. */
  put(target: Holder, reveal: Reveal): Promise<Answer> {
    return target.put('reveal', encodeReveal(reveal), PEER)
  }

  stateOf(target: Holder, name: string): { state: EntryState; owner: Uint8Array } | undefined {
    const held = target.entries.load(this.key(name))
    return held && { state: held.entry.state, owner: held.entry.claim.pubkey }
  }
}
