/** What is tried against a rule of ages: who runs chains, and since when they hold the owner's claim and the thief's. */
import { sha256, utf8 } from '../../../../src/protocol/encoding/bytes.ts'
import type { ShownClaim } from './ages.ts'
import type { Leaf, Operator } from './operators.ts'

export interface Past {
  readonly owner: ShownClaim
  readonly thief: ShownClaim
  readonly leaves: readonly Leaf[]
  readonly operators: readonly Operator[]
  /** Ticks that somebody computes in secret. */
  readonly secretChainDays: number
}

export interface Scene {
  readonly id: string
  /** Says that nobody holds the name, rather than the thief's claim. */
  readonly hides?: boolean
  past(stage: Stage): Past
}

export interface Stage {
  readonly today: number
  /** Days of the owner's claim, unless the scene says otherwise. */
  readonly ownerDays: number
  readonly lease: number
  readonly grace: number
}

export const NAMED = ['named-1', 'named-2', 'named-3', 'named-4', 'named-5'] as const

/** Honest chains began this many days before all that a scene needs. */
const BEFORE = 30

/** Until a settled claim is in the next tick. */
const SETTLING_DAYS = 2

interface Parts {
  readonly ownerDays: number
  readonly thiefLeaf?: Partial<Leaf>
  readonly change?: (operators: Operator[], owners: readonly Leaf[], thief: Leaf) => Operator[]
  readonly secretChainDays?: number
  /** Days before today on which named chains began. */
  readonly began?: number
}

/** The first links of both, each yearly renewal of the owner's, five honest operators, and what a scene changes. */
function pastOf({ today, lease }: Stage, parts: Parts): Past {
  const { ownerDays, change, thiefLeaf, secretChainDays = 0 } = parts
  const settled = today - ownerDays
  const owner = leafOf('owner 0', settled + SETTLING_DAYS)
  const renewals = Array.from({ length: Math.floor(ownerDays / lease) }, (_, index) =>
    leafOf(`owner ${index + 1}`, settled + (index + 1) * lease - Math.ceil(lease / 10))
  )
  const thief: Leaf = { ...leafOf('thief', Infinity), ...thiefLeaf }
  const from = today - Math.max(parts.began ?? 0, ownerDays, secretChainDays) - BEFORE
  const honest = NAMED.map((id): Operator => ({ id, isNamed: true, from }))
  return {
    owner: { links: [owner, ...renewals].map(({ hash }) => hash) },
    thief: { links: [thief.hash] },
    leaves: [owner, ...renewals, thief],
    operators: change?.(honest, [owner, ...renewals], thief) ?? honest,
    secretChainDays
  }
}

const leafOf = (label: string, publicFrom: number): Leaf => ({ hash: sha256(utf8(label)), publicFrom })

const first = (count: number, operators: readonly Operator[], change: (each: Operator) => Operator): Operator[] =>
  operators.map((each, index) => (index < count ? change(each) : each))

/** A secret chain of that many days with the thief's claim in its first tick. */
function hoarder(days: (ownerDays: number) => number): Scene['past'] {
  return (stage) => {
    const chainDays = Math.ceil(days(stage.ownerDays))
    return pastOf(stage, { ...stage, ...hoarded(stage, chainDays) })
  }
}

function hoarded({ today }: Stage, chainDays: number): Omit<Parts, 'ownerDays'> {
  const from = today - chainDays
  return {
    secretChainDays: chainDays,
    change: (operators, _, thief) => [
      ...operators,
      { id: 'hoarder', isNamed: false, from, plants: [{ leaf: thief, from }] }
    ]
  }
}

/** Named operators that held the thief's claim unseen for four times the owner's age. */
function planted(count: number): Scene['past'] {
  return (stage) => {
    const from = stage.today - 4 * stage.ownerDays
    return pastOf(stage, {
      ...stage,
      began: 4 * stage.ownerDays,
      change: (operators, _, thief) => first(count, operators, (each) => ({ ...each, plants: [{ leaf: thief, from }] }))
    })
  }
}

const withOperators =
  (count: number, change: (stage: Stage, each: Operator, owners: readonly Leaf[]) => Operator): Scene['past'] =>
  (stage) =>
    pastOf(stage, {
      ...stage,
      change: (operators, owners) => first(count, operators, (each) => change(stage, each, owners))
    })

/**
 * A former owner whose lease ended before the owner came. It was in honest chains while it lived, and now makes the
 * links that it lacks, dated by old pulses: the record is Valid.
 */
function lapsed(stage: Stage): Past {
  const { today, ownerDays, lease, grace } = stage
  const newest = today - ownerDays - lease - grace - 1
  const began = newest - 3 * lease
  const inTime = [0, 1, 2, 3].map((index) => leafOf(`former ${index}`, began + index * lease + SETTLING_DAYS))
  const late: Uint8Array[] = []
  for (let at = newest; at + lease < today; at += lease + grace - 1) late.push(sha256(utf8(`former, late ${at}`)))
  const past = pastOf(stage, { ...stage, began: today - began })
  return {
    ...past,
    thief: { links: [...inTime.map(({ hash }) => hash), ...late] },
    leaves: [...past.leaves, ...inTime]
  }
}

function omitting(_: Stage, each: Operator, owners: readonly Leaf[]): Operator {
  return { ...each, omits: owners }
}

function stopped({ today }: Stage, each: Operator): Operator {
  return { ...each, until: today - 7 }
}

export const SCENES: readonly Scene[] = [
  { id: 'ids show a claim that is in no chain', past: (stage) => pastOf(stage, stage) },
  { id: 'ids say that nobody holds the name', hides: true, past: (stage) => pastOf(stage, stage) },
  { id: 'hoarder, a quarter of the age and a day', past: hoarder((days) => days / 4 + 1) },
  { id: 'hoarder, the same age', past: hoarder((days) => days) },
  { id: 'hoarder, four times the age', past: hoarder((days) => 4 * days) },
  {
    id: 'the same, as a fork of a named chain',
    past: (stage) =>
      pastOf(stage, {
        ...stage,
        secretChainDays: 4 * stage.ownerDays,
        change: (operators, _, thief) => {
          const from = stage.today - 4 * stage.ownerDays
          const fork = { id: 'forger', isNamed: false, from, forks: operators[0]!, plants: [{ leaf: thief, from }] }
          return [...operators, fork]
        }
      })
  },
  { id: 'a named operator planted the thief in time', past: planted(1) },
  { id: 'three of five named operators did', past: planted(3) },
  { id: 'a named operator omits the owner', past: withOperators(1, omitting) },
  { id: 'three of five do', past: withOperators(3, omitting) },
  { id: 'all five do', past: withOperators(5, omitting) },
  { id: 'a named chain stopped a week ago', past: withOperators(1, stopped) },
  { id: 'three of five did', past: withOperators(3, stopped) },
  { id: 'all five did', past: withOperators(5, stopped) },
  { id: 'a former owner, lapsed, renews late', past: lapsed },
  { id: 'a new owner of ten days, ids show a claim in no chain', past: (stage) => pastOf(stage, { ownerDays: 10 }) },
  {
    id: 'the same, and a hoarder of forty days',
    past: (stage) => pastOf(stage, { ownerDays: 10, ...hoarded(stage, 40) })
  },
  {
    id: 'an old owner, in chains for ten days only, and that hoarder',
    past: (stage) => pastOf(stage, { ownerDays: 10 + SETTLING_DAYS, ...hoarded(stage, 50) })
  }
]
