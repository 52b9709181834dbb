/** Calls from the measuring process to those that run the nodes. */
import type { NetworkProfile } from '../../src/protocol/profile/profile.ts'
import type { EntryState } from '../../src/protocol/admission/entry.ts'
import type { NetworkMode } from '../../src/network/types.ts'

export interface Calls {
  /** Once, before all others. */
  begin: { argument: { readonly profile: NetworkProfile; readonly seed: string }; result: null }
  start: {
    argument: {
      readonly node: number
      readonly place: string
      readonly bootstrap: readonly string[]
      readonly mode: NetworkMode
    }
    result: { readonly address: string }
  }
  /** Sets the round. Answered when the event loop is quiet. */
  pass: { argument: { readonly round: number }; result: null }
  /** Peers in the routing table of each node, and connections. */
  known: {
    argument: null
    result: readonly { readonly node: number; readonly known: number; readonly connections: number }[]
  }
  /** `p`: the round of the pulse, once there are enough receipts. */
  commit: {
    argument: { readonly node: number; readonly name: string; readonly sentRound: number }
    result: { readonly receipts: number; readonly of: number; readonly p?: number }
  }
  put: {
    argument: { readonly node: number; readonly name: string; readonly p: number }
    result: { readonly storedBy: number; readonly of: number; readonly refusals: readonly string[] }
  }
  resolve: { argument: { readonly node: number; readonly name: string }; result: Resolved }
  /** How the nodes of a process hold a name; nothing for those that do not. */
  held: {
    argument: { readonly name: string }
    result: readonly { readonly node: number; readonly state: EntryState; readonly isOwners: boolean }[]
  }
}

export interface Resolved {
  /** `owner`: the one who registered it. */
  readonly outcome: 'owner' | 'another' | 'none' | 'contested'
  readonly votes: number
  readonly isThin: boolean
  readonly isSettled: boolean
  /** Whether it is a sighting: the resolver pins the owner. */
  readonly pins: boolean
  /** Nodes, by the estimate of the resolver. */
  readonly networkSize: number
}

export type CallName = keyof Calls

export interface Question<C extends CallName = CallName> {
  readonly id: number
  readonly call: C
  readonly argument: Calls[C]['argument']
}

export interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly fault?: string
}
