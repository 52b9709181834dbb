/** Hours of a network: nodes leave and come, leases are renewed, all nodes restart in turn. Names are asked throughout. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Daemon } from '../../../__test__/e2e/processes.ts'
import { residentBytes } from '../../../bench/network/processes.ts'
import { say } from '../../../bench/network/scratch.ts'
import { outcomes, startAsking, type Asked } from './asking.ts'
import { leaves, type Many } from './ground.ts'
import type { Mark } from './plot.ts'

/** A node leaves or comes back this often. */
const CHURN_SECONDS = 30
const SAMPLE_SECONDS = 30
/** Between two restarts. */
const PAUSE_MS = 2_000
/** What its owner says of a name. */
interface OwnName {
  readonly name: string
  readonly lease_end: string
}

interface Sample {
  readonly second: number
  /** Resident MiB of each daemon that runs, by its number. */
  readonly mib: readonly (number | null)[]
  /** Of the names asked for since the sample before. */
  readonly outcomes: Record<string, number>
}

/** What a soak may log or answer, and why. Others are a fault. */
const EXPLAINED: Readonly<Record<string, string>> = {
  'SVC-RES-001': 'a daemon that has just started has not met its peers yet'
}

export interface Soak {
  readonly seconds: number
  readonly asked: readonly Asked[]
  readonly marks: readonly Mark[]
  readonly outcomes: Record<string, number>
  readonly left: number
  readonly came: number
  readonly restarted: number
  readonly renewed: number
  /** Names that no asker resolves at the end. */
  readonly lost: readonly string[]
  /** Of the daemons' logs, by how often they appear. */
  readonly codes_logged: Record<string, number>
  /** Logged or answered, and in no list of why. */
  readonly unexplained: readonly string[]
  /** Of the median daemon, from well after the restarts on; null where that is too short to tell. */
  readonly growth_mib_an_hour: number | null
  readonly over_time: readonly Sample[]
}

export async function runSoak(many: Many, seconds: number): Promise<Soak> {
  const { network, names, askers } = many
  const running: (Daemon | undefined)[] = [...network.nodes]
  const codes: Record<string, number> = {}
  const count = (daemon: Daemon): void => {
    for (const [code] of daemon.logText().matchAll(/SVC-[A-Z]+-\d{3}/g)) codes[code] = (codes[code] ?? 0) + 1
  }
  const alive = (): Daemon[] => running.filter((daemon) => daemon !== undefined)
  const leasesOf = async (): Promise<Map<string, string>> => {
    const lists = await Promise.all(
      alive().map(async (daemon) => (await daemon.request('GET', '/api/names')).body as OwnName[])
    )
    return new Map(lists.flat().map(({ name, lease_end: end }) => [name, end]))
  }
  const leasesBefore = await leasesOf()
  const asking = startAsking(names, () => [...alive(), ...askers].map((daemon) => ({ daemon, group: 'all' })))
  const marks: Mark[] = []
  const samples: Sample[] = []
  let counted = 0
  const sample = (): void => {
    const asked = asking.asked.slice(counted)
    counted += asked.length
    samples.push({
      second: Math.round(asking.now()),
      outcomes: outcomes(asked),
      mib: running.map((daemon) => (daemon === undefined ? null : Math.round(residentBytes(daemon.pid)! / 2 ** 20)))
    })
  }
  let [left, came, restarted] = [0, 0, 0]
  const stop = async (at: number, signal: NodeJS.Signals): Promise<void> => {
    const daemon = running[at]!
    running[at] = undefined
    count(daemon)
    await daemon.signal(signal)
  }
  let hasRestarted = false
  const churning = running.flatMap((_, at) => (leaves(at) ? [at] : []))
  /** By turns the next one leaves without a word, and the one before comes back. */
  const churn = async (turn: number): Promise<void> => {
    const at = churning[(turn >> 1) % churning.length]!
    if (turn % 2 === 0) {
      await stop(at, 'SIGKILL')
      left++
    } else {
      running[at] = await network.startAgain(at, hasRestarted)
      came++
    }
  }
  let settledAt = Infinity
  const restartAll = async (): Promise<void> => {
    say('all nodes restart, one after the other')
    marks.push({ second: asking.now(), what: 'restarts' })
    for (const [at, daemon] of running.entries()) {
      if (daemon === undefined) continue
      await stop(at, 'SIGTERM')
      running[at] = await network.startAgain(at, true)
      restarted++
      if (restarted % 5 === 0) sample()
      await delay(PAUSE_MS)
    }
    marks.push({ second: asking.now(), what: 'churn' })
    settledAt = asking.now() + (seconds - asking.now()) / 4
  }

  marks.push({ second: 0, what: 'churn' })
  sample()
  let [turn, nextChurn, nextSample] = [0, CHURN_SECONDS, SAMPLE_SECONDS]
  while (asking.now() < seconds) {
    await delay(1_000)
    if (asking.now() >= nextSample) {
      sample()
      nextSample += SAMPLE_SECONDS
    }
    if (!hasRestarted && asking.now() >= seconds / 2) {
      hasRestarted = true
      await restartAll()
      nextChurn = asking.now()
    }
    if (asking.now() >= nextChurn) {
      await churn(turn++)
      nextChurn += CHURN_SECONDS
    }
  }
  await asking.stop()
  sample()
  for (const daemon of alive()) count(daemon)
  const leases = await leasesOf()
  const answers = await Promise.all(
    names.map(async (name) => {
      const statuses = await Promise.all(
        askers.map(async (asker) => {
          const { status, body } = await asker.request('GET', `/api/explain/${name}`)
          return status === 200 && (body as { resolves: unknown }).resolves !== null
        })
      )
      return statuses.includes(true)
    })
  )
  const answered = outcomes(asking.asked)
  const codesSeen = [...Object.keys(answered).filter((outcome) => outcome.startsWith('SVC-')), ...Object.keys(codes)]
  return {
    seconds: Math.round(asking.now()),
    asked: asking.asked,
    marks,
    outcomes: answered,
    left,
    came,
    restarted,
    renewed: [...leases].filter(([name, end]) => end !== leasesBefore.get(name)).length,
    lost: names.filter((_, index) => !answers[index]!),
    codes_logged: codes,
    unexplained: [...new Set(codesSeen)].filter((code) => !(code in EXPLAINED)),
    growth_mib_an_hour: growthOf(samples.filter(({ second }) => second >= settledAt)),
    over_time: samples
  }
}

const medianOf = ({ mib }: Sample): number => {
  const sorted = mib.filter((each) => each !== null).sort((left, right) => left - right)
  return sorted[sorted.length >> 1]!
}

/** By least squares. */
function growthOf(samples: readonly Sample[]): number | null {
  if (samples.length < 3) return null
  const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length
  const [hour, mib] = [mean(samples.map(({ second }) => second / 3600)), mean(samples.map(medianOf))]
  const off = samples.map((each) => [each.second / 3600 - hour, medianOf(each) - mib] as const)
  const slope = mean(off.map(([x, y]) => x * y)) / mean(off.map(([x]) => x * x))
  return Math.round(10 * slope) / 10
}

export function linesOverTime(samples: readonly Sample[]): string[] {
  return samples.map((each) => {
    const { second, mib, outcomes: asked } = each
    const running = mib.filter((one) => one !== null)
    return (
      `${String(second).padStart(6)} s  ${running.length} daemons: median ${medianOf(each)} MiB, most ` +
      `${Math.max(...running)}; ${JSON.stringify(asked)}`
    )
  })
}
