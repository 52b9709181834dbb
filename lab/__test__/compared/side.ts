/** What real nodes and simulated ones do alike: one scenario runs on either. */
import type { Counts } from './traffic.ts'

/**
 * Who wants the name: its owner, somebody who commits a round later, somebody with a claim that no node saw committed,
 * and the liars' own.
 */
export type Who = 'owner' | 'rival' | 'squatter' | 'thief'

export const PEOPLE: readonly Who[] = ['owner', 'rival', 'squatter', 'thief']

/** What liars near the name do: show the thief's claim as settled, or accept what they are sent and hold nothing. */
export type Lie = 'show' | 'keep-nothing'

export interface Commitment {
  readonly receipts: number
  readonly of: number
}

export interface Put {
  readonly storedBy: number
  readonly of: number
  /** The code that more than half of the refusals have. A holder that the commitment missed may have another. */
  readonly refusals: readonly string[]
  readonly counts: Counts
}

export interface Look {
  /** The owner that a resolver without a pin is shown, or why it is shown none. */
  readonly shown: Who | 'contested' | 'none' | 'silence'
  readonly asked: number
  readonly answered: number
  /** Its estimate of the network's size, nodes. */
  readonly networkSize: number
  readonly counts: Counts
}

export interface Side {
  /** By a daemon that holds no records. */
  commit(who: Who): Promise<Commitment>
  /** Lets rounds pass; the work that they cause need not be done yet. */
  advance(rounds: number): Promise<void>
  /** Makes the record of a claim whose p is now, unless it was made before, and sends it to the holders. */
  put(who: Who): Promise<Put>
  /** By a daemon that has never asked for the name. */
  look(): Promise<Look>
  /** Honest nodes that hold the name, by owner. Others take it in hourly rounds, whose moment is not an outcome. */
  holders(): Readonly<Partial<Record<Who, number>>>
  /** Ids near the name, each two in a /24. */
  lie(count: number, how: Lie): Promise<void>
  /** Lets time pass until each honest holder has settled. */
  settle(): Promise<void>
  /** The nearest holder ends, and a node that is nearer than all begins. */
  replaceNearest(): Promise<void>
  /** Lets hours pass until that node holds the name; gives the owner. */
  handedOver(): Promise<Who>
  /** Bytes of messages so far: of questions, and of those of look-ups. */
  bytes(): { readonly questions: number; readonly finds: number }
  close(): Promise<void>
}

export interface Size {
  readonly nodes: number
  readonly k: number
  /** Ids that come for the name while it is worked for, and those that are more than half of k with them. */
  readonly liars: number
  readonly majority: number
}

export function counted(owners: readonly Who[]): Partial<Record<Who, number>> {
  const counts: Partial<Record<Who, number>> = {}
  for (const who of owners) counts[who] = (counts[who] ?? 0) + 1
  return counts
}

/** What more than half of them are, if anything. */
export function ofMost(codes: readonly string[]): readonly string[] {
  return [...new Set(codes)].filter((code) => 2 * codes.filter((each) => each === code).length > codes.length)
}
