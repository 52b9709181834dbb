/** Hours of a network: nodes leave and come, leases are renewed, all nodes restart in turn. Names are asked throughout. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Daemon } from '../../../__test__/e2e/processes.ts'
import { residentBytes } from '../../network/processes.ts'
import { say } from '../../network/scratch.ts'
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

interface Memory {
  readonly second: number
  /** Resident MiB of each daemon that runs, by its number. */
  readonly mib: readonly (number | null)[]
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
  readonly memory: readonly Memory[]
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
  const memory: Memory[] = []
  const sample = (): void => {
    memory.push({
      second: Math.round(asking.now()),
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
  const churning = running.flatMap((_, at) => (leaves(at) ? [at] : []))
  /** By turns the next one leaves without a word, and the one before comes back. */
  const churn = async (turn: number): Promise<void> => {
    const at = churning[(turn >> 1) % churning.length]!
    if (turn % 2 === 0) {
      await stop(at, 'SIGKILL')
      left++
    } else {
      running[at] = await network.startAgain(at)
      came++
    }
  }
  const restartAll = async (): Promise<void> => {
    say('all nodes restart, one after the other')
    marks.push({ second: asking.now(), what: 'restarts' })
    for (const [at, daemon] of running.entries()) {
      if (daemon === undefined) continue
      await stop(at, 'SIGTERM')
      running[at] = await network.startAgain(at)
      restarted++
      if (restarted % 5 === 0) sample()
      await delay(PAUSE_MS)
    }
    marks.push({ second: asking.now(), what: 'churn' })
  }

  marks.push({ second: 0, what: 'churn' })
  sample()
  let [turn, nextChurn, nextSample, hasRestarted] = [0, CHURN_SECONDS, SAMPLE_SECONDS, false]
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
        askers.map(async (asker) => (await asker.request('GET', `/api/explain/${name}`)).body as { resolves: unknown })
      )
      return statuses.some(({ resolves }) => resolves !== null)
    })
  )
  return {
    seconds: Math.round(asking.now()),
    asked: asking.asked,
    marks,
    outcomes: outcomes(asking.asked),
    left,
    came,
    restarted,
    renewed: [...leases].filter(([name, end]) => end !== leasesBefore.get(name)).length,
    lost: names.filter((_, index) => !answers[index]!),
    codes_logged: codes,
    memory
  }
}

/** Resident MiB over time, as lines. */
export function memoryLines(memory: readonly Memory[]): string[] {
  return memory.map(({ second, mib }) => {
    const sorted = mib.filter((each) => each !== null).sort((left, right) => left - right)
    return `${String(second).padStart(6)} s  ${sorted.length} daemons: median ${sorted[sorted.length >> 1]} MiB, most ${sorted.at(-1)}`
  })
}
