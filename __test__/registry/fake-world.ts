/** The peers that all nodes of a test share. */
import type { RevealAnswer, SilentPeer } from '../../src/network/types.ts'
import type { Reveal } from '../../src/protocol/claim/reveal.ts'
import type { Clock } from '../../src/time/clock.ts'

/** One peer of the made-up network. */
export interface FakePeer {
  readonly id: string
  readonly commitments: Map<string, number>
  /** `changes`: what it says of those of the record; `isStub`: it keeps no record. */
  readonly reveals: Map<
    string,
    {
      state: RevealAnswer['state']
      reveal: Reveal
      changes?: RevealAnswer['changes']
      isStub?: boolean
      notice?: Reveal
    }
  >
  readonly identities: Map<string, Uint8Array>
  readonly manifests: Map<string, Uint8Array>
  /** Is not there to be asked. */
  away: boolean
  /** Is asked and gives no answer that counts. */
  silent: SilentPeer['reason'] | undefined
  /** Refuses every put with this code. */
  refuses: string | undefined
}

/** What all nodes share: the peers' stores. Admission is first come, first served, and states are `settled`. */
export class FakeWorld {
  readonly peers: FakePeer[] = []
  readonly clock: Clock

  constructor(clock: Clock, size: number) {
    this.clock = clock
    for (let index = 0; index < size; index++) {
      this.peers.push({
        id: `peer-${String(index)}`,
        commitments: new Map(),
        reveals: new Map(),
        identities: new Map(),
        manifests: new Map(),
        away: false,
        silent: undefined,
        refuses: undefined
      })
    }
  }
  present(): FakePeer[] {
    return this.peers.filter((peer) => !peer.away)
  }
}
