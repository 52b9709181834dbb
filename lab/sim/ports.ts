/** What the parts below a world and its nodes see of them, so that no file imports in a circle. */
import type { Peer } from '../../src/network/peers.ts'
import type { Answer, AnswerTo, Request } from '../../src/network/wire/messages.ts'
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import type { Store } from '../../src/store/types.ts'
import type { RoundClock } from '../../src/time/clock.ts'
import type { Verdicts } from './world/claims.ts'
import type { Random } from './world/random.ts'
import type { Beacon, Timeline } from './world/timeline.ts'
import type { Ledger } from './network/ledger.ts'

/** By the project's own look-ups and tables, or by finding the nearest nodes that answer. */
export type Routing = 'real' | 'modelled'

export interface NodePort {
  readonly peer: Peer
  readonly position: Uint8Array
  readonly bornRound: number
  readonly isAttacker: boolean
  readonly isListed: boolean
  readonly isPassive: boolean
  readonly isAwake: boolean
  readonly isSilentToLookUps: boolean
  readonly store: Store
  readonly clock: RoundClock
  /** Changes with each record that it stores or drops. */
  readonly contentVersion: number
  readonly view: { lost(node: NodePort): void }
  byOwnClock(round: number): number
  answer(request: Request, from: NodePort): Promise<Answer | undefined>
}

export interface WorldPort {
  readonly profile: NetworkProfile
  readonly timeline: Timeline
  /** What the network itself draws. */
  readonly chance: Random
  readonly ledger: Ledger
  readonly beacon: Beacon
  readonly verdicts: Verdicts
  readonly faults: { delayMs(): number }
  readonly topology: {
    readonly size: number
    readonly version: number
    near(key: Uint8Array): readonly NodePort[]
    sharing(key: Uint8Array, bits: number): NodePort[]
  }
  readonly transport: {
    reaches(from: NodePort, to: NodePort): boolean
    ask<R extends Request>(from: NodePort, to: NodePort, request: R, signal?: AbortSignal): Promise<AnswerTo<R>>
  }
  readonly events: { penalised(by: NodePort, penalised: NodePort, reason: string): void }
  random(label: string): Random
  /** The round that is due by true time. */
  round(): number
  nodeOf(peer: Pick<Peer, 'peer'>): NodePort
  sleep(milliseconds: number): Promise<void>
}
