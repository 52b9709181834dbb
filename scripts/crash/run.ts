/**
 * Crashes of a real daemon: killed with SIGKILL at random instants over registrations and renewals, started again on
 * what it left. A beacon and a second daemon, which is never killed, are the rest of the network.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseEvents } from '../../src/api/client/events.ts'
import { ProblemError } from '../../src/api/client/client.ts'
import type { TaskView } from '../../src/views/task.ts'
import { builtInProfiles } from '../../src/protocol/profile/built-in.ts'
import { decodeReveal } from '../../src/protocol/claim/reveal.ts'
import { Claims } from './claims.ts'
import { startBeacon, startDaemon, type Daemon, type Running } from './daemon.ts'
import { seededRandom, type Random } from './random.ts'
import { readRemains } from './remains.ts'

/** Seconds of work for a registration and a quarter of that for a renewal: long enough for several kills each. */
const ITERATIONS = 400_000
const CHECKPOINT_SECONDS = 1

/** How an instant is chosen: while the daemon starts, or at a point within a phase (kill-switch.ts). */
const KINDS = ['start', 'time', 'store', 'rename', 'send'] as const
type Kind = (typeof KINDS)[number]
/** Each is as likely as the others, however short it is. `queued` passes within an instant here. */
const PHASES = ['commit', 'pulse', 'evaluate', 'prove', 'reveal'] as const
/** Latest kill after the begin of a phase, milliseconds. */
const SPREAD_MS: Readonly<Record<(typeof PHASES)[number], number>> = {
  commit: 200,
  pulse: 1_500,
  evaluate: 2_500,
  prove: 300,
  reveal: 300
}
/** Points that a phase passes through by and by. */
const POINTS = { store: 6, rename: 6, send: 40 }
/** One life in this many ends during the start. */
const STARTS = 10

/** Counted from when the daemon answers, where its tasks do not end. */
const LONGEST_LIFE_MS = 60_000
/** A registration and a renewal have passed through every phase that comes: a life ends after them. */
const TASKS_IN_A_LIFE = 2
/** Undisturbed, two of three renewals and registrations end within seconds; a busy machine takes longer. */
const LAST_LIFE_MS = 180_000

interface CrashOptions {
  readonly kills: number
  readonly seed: number
  /** Ends the killing early; what was begun is finished and counted. */
  readonly signal?: AbortSignal
  /** Receives one line per event. */
  readonly say?: (line: string) => void
}

interface CrashTotals {
  readonly seed: number
  readonly kills: number
  readonly by: Readonly<Record<Kind, number>>
  /** The task's phase by its journal when the daemon was killed. */
  readonly phases: Readonly<Record<string, number>>
  readonly registrations: number
  readonly renewals: number
  readonly resumed: number
  readonly redrafts: number
  readonly checkpoint_seconds: number
  readonly max_repeated_seconds: number
  readonly seconds: number
  readonly violations: readonly string[]
}

interface Job {
  readonly name: string
  readonly kind: 'register' | 'renew'
  readonly key: string
  taskId: string | undefined
}

export async function runCrashes({ kills, seed, signal, say = () => undefined }: CrashOptions): Promise<CrashTotals> {
  const directory = mkdtempSync(join(tmpdir(), 'chronym-crash-'))
  const scene = new Scene(directory, seededRandom(seed), say)
  try {
    await scene.open()
    while (scene.kills < kills && signal?.aborted !== true) await scene.life()
    await scene.lastLife()
    const totals = await scene.close(seed)
    if (totals.violations.length === 0) rmSync(directory, { recursive: true, force: true })
    else say(`logs and data are kept in ${directory}`)
    return totals
  } finally {
    await scene.end()
  }
}

class Scene {
  readonly #directory: string
  readonly #random: Random
  readonly #say: (line: string) => void
  readonly #claims = new Claims(CHECKPOINT_SECONDS)
  readonly #startedAt = performance.now()
  readonly #by: Record<Kind, number> = { start: 0, time: 0, store: 0, rename: 0, send: 0 }
  /** Phases to come: each once, as a task has them, from one of chance on; then again. */
  readonly #deck: (typeof PHASES)[number][] = []
  readonly #phases: Record<string, number> = {}
  readonly #done: Job[] = []
  #job: Job | undefined
  #names = 0
  #resumed = 0
  #args: string[] = []
  #ends: (() => Promise<unknown>)[] = []
  #witness: Daemon | undefined
  #world: Running | undefined
  #victim: Daemon | undefined

  constructor(directory: string, random: Random, say: (line: string) => void) {
    this.#directory = directory
    this.#random = random
    this.#say = say
  }

  get kills(): number {
    return Object.values(this.#by).reduce((sum, count) => sum + count, 0)
  }

  async open(): Promise<void> {
    const profile = join(this.#directory, 'profile.json')
    const { local } = builtInProfiles
    writeFileSync(
      profile,
      JSON.stringify({ ...local, id: 'crash', difficulty: { ...local.difficulty, base: ITERATIONS } })
    )
    const beacon = await startBeacon(join(this.#directory, 'beacon.log'))
    this.#ends.push(() => beacon.stop())
    const common = [
      '--network',
      profile,
      '--beacon-url',
      beacon.url,
      '--vdf-checkpoint-seconds',
      String(CHECKPOINT_SECONDS)
    ]
    const witness = startDaemon(
      [...common, '--data-dir', join(this.#directory, 'witness')],
      join(this.#directory, 'witness.log')
    )
    this.#witness = witness
    this.#ends.push(async () => {
      witness.kill()
      await witness.gone
    })
    this.#world = await witness.ready
    if (this.#world === undefined) throw new Error(`the second daemon did not start:\n${witness.log().join('\n')}`)
    this.#args = [...common, '--data-dir', join(this.#directory, 'victim'), '--bootstrap', this.#world.addresses[0]!]
  }

  /** One life of the victim, which ends with a kill. */
  async life(): Promise<void> {
    const kind = this.#random.between(1, STARTS) === 1 ? 'start' : this.#random.pick(KINDS.slice(1))
    const victim = this.#start(kind === 'start' ? undefined : this.#point(kind))
    if (kind === 'start') void delay(this.#random.between(1, 2_500)).then(() => victim.kill())
    const reading = new AbortController()
    const running = await victim.ready
    if (running !== undefined) {
      void delay(LONGEST_LIFE_MS, undefined, { ref: false }).then(() => victim.kill())
      const before = this.#done.length
      await this.#work(victim, running, reading, () => this.#done.length - before < TASKS_IN_A_LIFE)
      victim.kill()
    }
    await victim.gone
    reading.abort()
    this.#by[kind]++
    await this.#examine(victim)
  }

  /** A point within the next phase. */
  #point(kind: Exclude<Kind, 'start'>): string {
    if (this.#deck.length === 0) {
      const first = this.#random.between(0, PHASES.length - 1)
      this.#deck.push(...PHASES.slice(first), ...PHASES.slice(0, first))
    }
    const phase = this.#deck.shift()!
    const [least, most] = kind === 'time' ? [0, SPREAD_MS[phase]] : [1, POINTS[kind]]
    return `${phase} ${kind} ${this.#random.between(least, most)}`
  }

  /** No more kills: unfinished work ends by itself. */
  async lastLife(): Promise<void> {
    const victim = this.#start()
    const running = await victim.ready
    if (running === undefined) throw new Error('the victim did not start again')
    const reading = new AbortController()
    const timer = setTimeout(() => {
      this.#claims.hold(false, `a task did not end within ${LAST_LIFE_MS / 1000} s of its last life`)
      reading.abort()
      victim.kill()
    }, LAST_LIFE_MS)
    await this.#work(victim, running, reading, () => this.#job !== undefined)
    clearTimeout(timer)
    if (victim.isGone()) {
      this.#claims.hold(false, `the last life ended early:\n${victim.log().slice(-20).join('\n')}`)
      await this.#examine(victim)
      return
    }
    const owned = await running.client.ownedNames()
    const expected = [...new Set(this.#done.map(({ name }) => name))].sort()
    for (const name of expected) await this.#isOwned(running, name)
    this.#claims.hold(
      JSON.stringify([...owned].sort()) === JSON.stringify(expected),
      `owned are ${owned.join(', ')} instead of ${expected.join(', ')}`
    )
    await victim.stop()
    await this.#examine(victim)
  }

  async close(seed: number): Promise<CrashTotals> {
    const registrations = this.#done.filter(({ kind }) => kind === 'register').length
    await this.#witness?.stop()
    const { commitments } = await readRemains(join(this.#directory, 'witness'))
    this.#claims.hold(
      commitments <= registrations + this.#claims.redrafts,
      `${commitments} commitments were sent for ${registrations} registrations (${this.#claims.redrafts} replaced)`
    )
    return {
      seed,
      kills: this.kills,
      by: this.#by,
      phases: this.#phases,
      registrations,
      renewals: this.#done.length - registrations,
      resumed: this.#resumed,
      redrafts: this.#claims.redrafts,
      checkpoint_seconds: CHECKPOINT_SECONDS,
      max_repeated_seconds: Number(this.#claims.maxRepeatedSeconds.toFixed(3)),
      seconds: Math.round((performance.now() - this.#startedAt) / 1000),
      violations: this.#claims.violations
    }
  }

  async end(): Promise<void> {
    this.#victim?.kill()
    await this.#victim?.gone
    for (const end of this.#ends.splice(0).reverse()) await end()
  }

  #start(killAt?: string): Daemon {
    this.#victim = startDaemon(this.#args, join(this.#directory, 'victim.log'), killAt)
    return this.#victim
  }

  /** Registers and renews until the victim dies, or `goesOn` says no. */
  async #work(victim: Daemon, running: Running, reading: AbortController, goesOn: () => boolean): Promise<void> {
    while (!victim.isGone() && goesOn()) {
      try {
        const job = (this.#job ??= this.#nextJob())
        job.taskId ??= await this.#begin(running, job)
        await this.#follow(running, job, reading.signal)
      } catch (error) {
        // The daemon is dying: any answer or error is possible.
        if (error instanceof ProblemError && error.status < 500) {
          this.#claims.hold(false, `${this.#job?.name ?? ''}: ${error.message}`)
          victim.kill()
        }
        await delay(100)
      }
    }
  }

  #nextJob(): Job {
    const last = this.#done.at(-1)
    const renews = last?.kind === 'register'
    const name = renews ? last.name : `crash-${++this.#names}.chronym`
    return {
      name,
      kind: renews ? 'renew' : 'register',
      key: `${name}-${renews ? 'renew' : 'register'}`,
      taskId: undefined
    }
  }

  async #begin({ client }: Running, { name, kind, key }: Job): Promise<string> {
    try {
      const settings = { idempotencyKey: key }
      return (await (kind === 'register' ? client.register(name, settings) : client.renew(name, settings))).task_id
    } catch (error) {
      // It was begun in a life that ended before it could answer.
      const begun = error instanceof ProblemError && error.code === 'SVC-REG-002' ? error.problem['task_id'] : undefined
      if (typeof begun !== 'string') throw error
      return begun
    }
  }

  /** Reads the task's events to its end, or the victim's. */
  async #follow(running: Running, job: Job, signal: AbortSignal): Promise<void> {
    const taskId = job.taskId!
    const last = this.#claims.lastEventId(taskId)
    const response = await fetch(`${running.baseUrl}/api/vdf/status/${taskId}/events`, {
      headers: { authorization: `Bearer ${running.token}`, ...(last === 0 ? {} : { 'last-event-id': String(last) }) },
      signal
    })
    if (!response.ok || response.body === null) throw new Error(`the events of ${taskId} answer ${response.status}`)
    for await (const { id, data } of parseEvents(response.body)) {
      const task = data as TaskView
      this.#claims.told(Number(id), task)
      if (task.status === 'running') continue
      await this.#finished(running, job, task)
      return
    }
  }

  async #finished(running: Running, job: Job, task: TaskView): Promise<void> {
    this.#claims.hold(
      task.status === 'completed' && task.progress === task.iterations,
      `${job.name}: ended as ${task.status} with ${task.progress} of ${task.iterations} squarings`
    )
    this.#say(`${job.kind} ${job.name}: ${task.status}, taken up ${task.resumed} times (${this.kills} kills so far)`)
    this.#resumed += task.resumed
    this.#done.push(job)
    this.#job = undefined
    await this.#isOwned(running, job.name)
  }

  /** Once here, and elsewhere with the same record. */
  async #isOwned({ client }: Running, name: string): Promise<void> {
    const times = (await client.ownedNames()).filter((owned) => owned === name).length
    this.#claims.hold(times === 1, `${name} is owned ${times} times`)
    const [here, there] = [await client.resolve(name), await this.#world!.client.resolve(name)]
    const [ours, theirs] = [JSON.stringify(here), JSON.stringify(there)]
    this.#claims.hold(ours === theirs, `${name} is something else elsewhere: ${ours} here, ${theirs} there`)
  }

  /** Holds the claims against what the victim left. */
  async #examine(victim: Daemon): Promise<void> {
    const taskId = this.#job?.taskId
    if (taskId !== undefined) this.#resumedWhere(victim, this.#claims.checkpoint(taskId))
    const remains = await readRemains(join(this.#directory, 'victim'))
    this.#claims.left(remains)
    const active = [...remains.tasks.values()].find(({ state }) => state.status === 'running')
    const phase = active === undefined ? 'none' : active.state.phase
    this.#phases[phase] = (this.#phases[phase] ?? 0) + 1
    for (const { state } of remains.tasks.values()) {
      if (state.reveal !== null && state.status === 'completed')
        this.#claims.hold(decodeReveal(state.reveal).name === state.name, `${state.id}: its Reveal is of another name`)
    }
  }

  /** What the victim said it went on from must be what the life before had left. */
  #resumedWhere(victim: Daemon, checkpoint: number): void {
    for (const line of victim.log()) {
      const { msg, task, squarings } = JSON.parse(line) as { msg?: string; task?: string; squarings?: number }
      if (msg !== 'the evaluation resumes from a checkpoint' || task !== this.#job?.taskId) continue
      this.#claims.hold(
        squarings === checkpoint,
        `${task ?? ''}: went on from ${squarings ?? 0} squarings instead of ${checkpoint}`
      )
      return
    }
  }
}
