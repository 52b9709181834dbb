/** A schedule of faults: drawn from a seed, kept as data, so that it can be shrunk and replayed. */
import type { Random } from '../../world/random.ts'
import type { FaultRates } from '../../network/faults.ts'

/** Minutes since the beginning of the run. */
export type Fault =
  | { readonly kind: 'rates'; readonly from: number; readonly until: number; readonly rates: FaultRates }
  | { readonly kind: 'crash'; readonly at: number; readonly node: number; readonly minutes: number }
  | { readonly kind: 'cut'; readonly from: number; readonly until: number; readonly share: number }
  | { readonly kind: 'beacon'; readonly from: number; readonly until: number }
  /** The process ends at the n-th write after that minute, which is lost, and starts again later. */
  | {
      readonly kind: 'kill'
      readonly at: number
      readonly node: number
      readonly writes: number
      readonly minutes: number
    }
  /** A node is asleep, and wakes with what it knew. */
  | { readonly kind: 'sleep'; readonly at: number; readonly node: number; readonly minutes: number }
  /** An owner is away: it neither sends nor works. */
  | { readonly kind: 'away'; readonly at: number; readonly owner: number; readonly minutes: number }
  /** A clock is wrong from then on, by hours ahead or behind. */
  | { readonly kind: 'clock'; readonly at: number; readonly node: number; readonly hours: number }
  /**
   * A claim of an earlier pulse, which nobody saw committed in time, is sent to all nodes as the first rival reveals;
   * `isCommitted`: with its C, late.
   */
  | { readonly kind: 'unseen'; readonly rounds: number; readonly isCommitted: boolean }
  /** Somebody sends an owner's C to a node once more. */
  | { readonly kind: 'commitment'; readonly at: number; readonly node: number; readonly owner: number }

export interface Schedule {
  readonly seed: string
  readonly nodes: number
  /** Minutes at which each rival begins: two for the contested name, the others alone. */
  readonly begins: readonly number[]
  /** How many times as long the first rival works, so that the higher claim comes first; 1 without. */
  readonly slowness?: number
  readonly faults: readonly Fault[]
}

/** Faults begin in the first two hours and end in the first three; after that the network can heal. */
export const FAULTY_MINUTES = 180

/** A sleep through all of contest and settling, at one node: more than half of the others are awake. */
const LONGEST_SLEEP_MINUTES = 170

/** The first rivals commit after ten minutes, reveal three minutes later, and settle after two hours. */
const COMMIT_MINUTES = 10
const REVEAL_MINUTES = 13
const SETTLING_MINUTES = 125

const YEAR_HOURS = 365 * 24

/** No partition lasts as long as `settle`, two hours here (P14). */
const LONGEST_MINUTES = 60

export function drawSchedule(seed: string, random: Random): Schedule {
  const nodes = 5 + random.below(3)
  const rivals = drawRivals(random)
  const begins = [...rivals.begins, 15 + random.below(60)]
  const faults = Array.from({ length: 1 + random.below(6) }, () => drawFault(nodes, random))
  if (random.next() < 0.3) faults.push(drawHabit(nodes, begins.length, random))
  if (random.next() < 0.2)
    faults.push({ kind: 'unseen', rounds: 1 + random.below(40), isCommitted: random.next() < 0.5 })
  for (let times = random.below(4); times > 0; times--) {
    const at = 10 + random.below(10)
    faults.push({ kind: 'commitment', at, node: random.below(nodes), owner: random.below(begins.length) })
  }
  return { seed, nodes, begins, slowness: rivals.slowness, faults }
}

/** Two in five times the second one is overtaken: it reveals first, and the lower claim comes within its contest. */
function drawRivals(random: Random): { readonly begins: readonly number[]; readonly slowness: number } {
  const draw = random.next()
  if (draw < 0.3) return { begins: [COMMIT_MINUTES, COMMIT_MINUTES], slowness: 1 }
  if (draw < 0.6) return { begins: [COMMIT_MINUTES, COMMIT_MINUTES + random.below(3)], slowness: 1 }
  const later = 0.1 + random.next() * 0.5
  return { begins: [COMMIT_MINUTES, COMMIT_MINUTES + later], slowness: 1 + (later + 0.1 + random.next() * 0.9) / 2 }
}

/** One of a population: a node that sleeps long, an owner that is away, or a wrong clock. One, so that most are well. */
function drawHabit(nodes: number, owners: number, random: Random): Fault {
  const node = random.below(nodes)
  const draw = random.next()
  if (draw < 0.4) {
    // Half of them begin between the first reveals of a contest and end after it settles.
    const isTimed = random.next() < 0.5
    const at = isTimed ? REVEAL_MINUTES + random.next() * 1.5 : random.below(20)
    const minutes = isTimed ? SETTLING_MINUTES + random.below(30) : 1 + random.below(LONGEST_SLEEP_MINUTES - 20)
    return { kind: 'sleep', at, node, minutes }
  }
  if (draw < 0.7) {
    const at = random.below(FAULTY_MINUTES - LONGEST_MINUTES)
    return { kind: 'away', at, owner: random.below(owners), minutes: 1 + random.below(LONGEST_MINUTES) }
  }
  const hours = random.pick([-YEAR_HOURS, -24, -0.1, 0.1, 24, YEAR_HOURS])
  return { kind: 'clock', at: random.below(FAULTY_MINUTES), node, hours }
}

function drawFault(nodes: number, random: Random): Fault {
  const from = random.below(FAULTY_MINUTES - LONGEST_MINUTES)
  const until = from + 1 + random.below(LONGEST_MINUTES - 1)
  const draw = random.next()
  if (draw < 0.35) {
    const rates = {
      loss: random.next() * 0.15,
      duplicates: random.next() * 0.3,
      late: random.next() * 0.5,
      lateMs: random.next() * 30_000
    }
    return { kind: 'rates', from, until, rates }
  }
  if (draw < 0.5)
    return {
      kind: 'kill',
      at: from,
      node: random.below(nodes),
      writes: 1 + random.below(6),
      minutes: 1 + random.below(LONGEST_MINUTES - 1)
    }
  if (draw < 0.7) return { kind: 'crash', at: from, node: random.below(nodes), minutes: random.below(LONGEST_MINUTES) }
  if (draw < 0.9) return drawCut(random)
  return { kind: 'beacon', from, until }
}

/** Two in five of them are timed: somebody cuts the network as rivals commit, or between their reveals. */
function drawCut(random: Random): Fault {
  const draw = random.next()
  const share = random.next() / 2
  if (draw < 0.2) return { kind: 'cut', from: COMMIT_MINUTES - 1, until: COMMIT_MINUTES + random.next() * 3, share }
  const from = draw < 0.4 ? REVEAL_MINUTES + random.next() * 1.5 : random.below(FAULTY_MINUTES - LONGEST_MINUTES)
  return { kind: 'cut', from, until: from + 1 + random.below(LONGEST_MINUTES - 1), share }
}

/**
 * The shortest schedule found that is still broken: faults are taken out one by one while it stays so.
 *
 * @param isBroken runs it
 */
export async function shrink(schedule: Schedule, isBroken: (smaller: Schedule) => Promise<boolean>): Promise<Schedule> {
  for (const index of schedule.faults.keys()) {
    const smaller = { ...schedule, faults: schedule.faults.toSpliced(index, 1) }
    if (await isBroken(smaller)) return shrink(smaller, isBroken)
  }
  return schedule
}
