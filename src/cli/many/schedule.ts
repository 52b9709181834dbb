/** Who squares what when: the daemon's turns, played with the rates of now. Pure. */
import type { TaskView } from '../../views/task.ts'
import type { Machine } from './survey.ts'

/** Slots of one place that go at one rate. */
export interface Place {
  /** `local`, or the worker of a farm. */
  readonly name: string
  readonly slots: number
  readonly perSecond: number
  /** Nobody measured it there yet: it is taken for that of this machine. */
  readonly isAssumed: boolean
}

/**
 * The slots that a daemon fills, its own first. Threads of workers that evaluate for other daemons don't count.
 *
 * @param perSecond measured by the daemon on one thread
 */
export function placesOf(
  { maxTasks, threads, farm }: Pick<Machine, 'maxTasks' | 'threads' | 'farm'>,
  tasks: readonly TaskView[],
  perSecond: number
): Place[] {
  const workers = farm.connected ? farm.workers : []
  return [
    // More tasks than threads take turns on them.
    { name: 'local', slots: maxTasks, perSecond: perSecond * Math.min(1, threads / maxTasks), isAssumed: false },
    ...workers.map(({ worker, threads: all, busy, iterations_per_second: rate }) => {
      const ours = tasks.filter((task) => task.worker === worker).length
      const isAssumed = rate === 0
      return {
        name: worker,
        slots: Math.max(0, all - Math.max(0, busy - ours)),
        perSecond: isAssumed ? perSecond : rate / busy,
        isAssumed
      }
    })
  ]
}

/** What one evaluation takes. */
export interface Work {
  /** Squarings, and proving as if it were squarings. */
  readonly squarings: number
  /** Seconds of the slot before them: for commitment and pulse. */
  readonly waitSeconds: number
}

export interface Turn {
  readonly place: string
  /** Seconds from now. */
  readonly start: number
  readonly end: number
}

interface Slot {
  readonly place: string
  readonly perSecond: number
  freeAt: number
}

/** The phases of a task that has a slot. */
const AT_WORK: ReadonlySet<TaskView['phase']> = new Set(['commit', 'pulse', 'evaluate', 'prove'])

/**
 * Each new evaluation takes the slot that is free first, after the tasks of the daemon. Returns its turns, and when each
 * task ends by its id, in seconds from now; paused tasks don't.
 *
 * @param workLeft of a task without an estimate of its own
 */
export function schedule(
  places: readonly Place[],
  tasks: readonly TaskView[],
  workLeft: (task: TaskView) => Work,
  added: readonly Work[]
): { readonly turns: readonly Turn[]; readonly ends: ReadonlyMap<string, number> } {
  const slots: Slot[] = places.flatMap(({ name, slots: count, perSecond }) =>
    Array.from({ length: count }, () => ({ place: name, perSecond, freeAt: 0 }))
  )
  const ends = new Map<string, number>()
  const soonest = (among: readonly Slot[]): Slot =>
    among.reduce((first, slot) => (slot.freeAt < first.freeAt ? slot : first))
  const take = (slot: Slot, seconds: number): Turn => {
    const start = slot.freeAt
    slot.freeAt += seconds
    return { place: slot.place, start, end: slot.freeAt }
  }
  const secondsOn = ({ perSecond }: Slot, { squarings, waitSeconds }: Work): number =>
    waitSeconds + squarings / perSecond

  const running = tasks.filter(({ status, paused }) => status === 'running' && !paused)
  for (const task of running.filter(({ phase }) => AT_WORK.has(phase))) {
    const at = task.worker ?? (task.place === 'farm' ? undefined : 'local')
    const here = slots.filter(({ place }) => (at === undefined ? place !== 'local' : place === at))
    const slot = soonest(here.length > 0 ? here : slots)
    ends.set(task.task_id, take(slot, task.eta_seconds ?? secondsOn(slot, workLeft(task))).end)
  }
  const queued = running
    .filter(({ phase }) => phase === 'queued')
    .sort((left, right) => (left.queue_position ?? 0) - (right.queue_position ?? 0))
  for (const task of queued) {
    const slot = soonest(slots)
    ends.set(task.task_id, take(slot, secondsOn(slot, workLeft(task))).end)
  }
  for (const { phase, task_id: id } of running) if (phase === 'reveal') ends.set(id, 0)
  const turns = added.map((work) => {
    const slot = soonest(slots)
    return take(slot, secondsOn(slot, work))
  })
  return { turns, ends }
}
