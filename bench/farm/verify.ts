/**
 * What a daemon pays where it verifies checkpoints, by what its worker squares meanwhile: the processor time of one
 * thread for both. Workers pay nothing.
 */
import { createHash } from 'node:crypto'
import { addon, type Evaluation } from '../../src/native/addon.ts'
import { measured, type Figure } from '../figure.ts'
import { summary } from '../statistics.ts'
import { BITS } from '../tasks/real-tasks.ts'
import { RECORD_BYTES } from './scene.ts'

const NAMES = [
  { of: 'half an hour', iterations: 600_000_000 },
  { of: 'a day', iterations: 28_800_000_000 }
]
/** The default of `vdf.memory_mib`. */
const MEMORY_BYTES = 256 * 2 ** 20
/** Between two stored forms is less. */
const SHORT = 30_000
const LONG = 1_500_000
const MINUTES = [1, 10]
const SECONDS_PER_MINUTE = 60

const stop = new Uint32Array(1)

export function measureVerifying(rounds: number): Figure[] {
  return NAMES.map(({ of, iterations }) => {
    const taken = Array.from({ length: rounds }, (_, round) => measureOnce(iterations, round))
    const shares = (minutes: number): readonly number[] =>
      taken.map(
        ({ rate, once, perSquaring }) => 100 * rate * (perSquaring + once / (minutes * SECONDS_PER_MINUTE * rate))
      )
    const median = (pick: (of: (typeof taken)[number]) => number): number => summary(taken.map(pick)).median
    const [every, rare] = MINUTES.map((minutes) => summary(shares(minutes)))
    return measured(
      {
        name: `verifying by squaring, a name of ${of}, every ${MINUTES[0]} min`,
        unit: '%',
        parts: {
          [`% every ${MINUTES[1]} min`]: rare!.median,
          'ms a checkpoint, whatever its length': 1000 * median(({ once }) => once),
          'ms more a million squarings': 1e9 * median(({ perSquaring }) => perSquaring),
          'squarings between stored forms': median(({ stride }) => stride)
        }
      },
      every!
    )
  })
}

interface Taken {
  /** Squarings a second. */
  readonly rate: number
  /** Seconds a checkpoint, and more for each squaring. */
  readonly once: number
  readonly perSquaring: number
  readonly stride: number
}

function measureOnce(iterations: number, round: number): Taken {
  const { Discriminant, Evaluation } = addon()
  const discriminant = Discriminant.fromSeed(new Uint8Array(32).fill(round + 1), BITS)
  const evaluation = new Evaluation(discriminant, null, iterations, null, MEMORY_BYTES)
  const short = stretch(evaluation, SHORT)
  const long = stretch(evaluation, LONG)
  const shortSeconds = seconds(short.audit)
  const perSquaring = (seconds(long.audit) - shortSeconds) / (LONG - SHORT)
  return {
    rate: LONG / long.squaringSeconds,
    once: shortSeconds - SHORT * perSquaring,
    perSquaring,
    stride: LONG / long.records
  }

  /** Squares on, and what verifies it. */
  function stretch(of: Evaluation, squarings: number) {
    const accepted = of.state()
    const from = of.intermediateCount()
    const squaringSeconds = seconds(() => of.advance(squarings, stop))
    const added = of.intermediates(from)
    const recordsDigest = createHash('sha256').update(of.intermediates(0)).digest()
    const question = { accepted, state: of.state(), squarings: of.squarings(), added, recordsDigest }
    const audit = (): void => {
      if (addon().auditCheckpoint(discriminant, { ...question, key: new Uint8Array(32).fill(round) }, stop) === null)
        throw new Error('what was squared is refused')
    }
    return { squaringSeconds, audit, records: added.length / RECORD_BYTES }
  }
}

/** Of this thread's own time. */
function seconds(call: () => void): number {
  const before = process.threadCpuUsage()
  call()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1e6
}
