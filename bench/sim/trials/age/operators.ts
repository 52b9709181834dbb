/** Who runs time chains, day by day. */
import { fastKeyPair } from '../../engine/keys.ts'
import { sha256, utf8 } from '../../../../src/protocol/encoding/bytes.ts'
import { isSigned, TimeChain, unbrokenSince, type Shown } from './chain.ts'

/** A link of a claim, as chains hold it. */
export interface Leaf {
  readonly hash: Uint8Array
  /** The first day on which it is settled and an honest operator sees it; Infinity where it is kept secret. */
  readonly publicFrom: number
}

export interface Operator {
  readonly id: string
  readonly isNamed: boolean
  /** The first day of its chain; the last is today, or this one. */
  readonly from: number
  readonly until?: number
  /** Leaves that it leaves out though it sees them. */
  readonly omits?: readonly Leaf[]
  /** Leaves that it holds from a day on though nobody else sees them: its own, or those that it is paid for. */
  readonly plants?: readonly { readonly leaf: Leaf; readonly from: number }[]
  /** Continues that operator's chain from `from` on, without its key. */
  readonly forks?: Operator
}

/** Other people's claims that become settled on a day: they make trees of some height. */
const OTHERS_A_DAY = 3

export interface RunChain {
  readonly operator: Operator
  readonly chain: TimeChain
  readonly view: Shown
  /** The day from which on no day is left out; undefined for a false chain. */
  readonly since: number | undefined
  /** By the operator that its id names. */
  readonly isSigned: boolean
}

/** @param leaves those of the name in question */
export function runChain(operator: Operator, leaves: readonly Leaf[], today: number): RunChain {
  const chain = ticked(operator, leaves, today)
  const view = chain.shown()
  return { operator, chain, view, since: unbrokenSince(view), isSigned: isSigned(view) }
}

function ticked(operator: Operator, leaves: readonly Leaf[], today: number): TimeChain {
  const { id, from, until = today, omits = [], plants = [], forks } = operator
  const former = forks === undefined ? undefined : ticked({ ...forks, until: from - 1 }, leaves, today).shown()
  const chain = new TimeChain(fastKeyPair(sha256(utf8(`operator ${id}`))), former)
  const held = new Set<Leaf>()
  for (let day = from; day <= until; day++) {
    const seen = leaves.filter((leaf) => leaf.publicFrom <= day && !omits.includes(leaf))
    const planted = plants.flatMap((each) => (each.from <= day ? [each.leaf] : []))
    const fresh = [...seen, ...planted].filter((leaf) => !held.has(leaf))
    for (const leaf of fresh) held.add(leaf)
    const others =
      fresh.length === 0 ? [] : Array.from({ length: OTHERS_A_DAY }, (_, at) => sha256(utf8(`${day} ${at}`)))
    chain.tick(day, [...others, ...fresh.map(({ hash }) => hash)])
  }
  return chain
}
