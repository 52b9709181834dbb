/** What a task is at, in words, and how fast it was. Pure, but for the memory of the rates. */
import type { TaskView } from '../lib/api.ts'
import { percent } from '../lib/words.ts'
import type { Tone } from '../parts/basics.ts'
import type { Line } from '../parts/graph.ts'

/** The code by which the daemon tells a cancelled task from a failed one; its status is `failed` too. */
export const CANCELLED = 'SVC-TSK-003'

/** What a task is at, as a word, and the class of its colour: only a failure is red. */
export function taskState({
  status,
  error,
  paused,
  phase,
  queue_position: place
}: Pick<TaskView, 'status' | 'error' | 'paused' | 'phase' | 'queue_position'>): { word: string; tone: Tone } {
  if (status === 'completed') return { word: 'completed', tone: 'good' }
  if (status === 'failed')
    return error?.code === CANCELLED ? { word: 'cancelled', tone: 'quiet' } : { word: 'failed', tone: 'bad' }
  if (paused) return { word: 'paused', tone: '' }
  return { word: place === null ? phase : `${phase}, place ${place}`, tone: '' }
}

type Shared = Pick<TaskView, 'phase' | 'phase_progress' | 'progress' | 'iterations'>
type Titled = Shared & Pick<TaskView, 'name' | 'status' | 'paused' | 'queue_position'>

/** Share of a task that is done, 0 to 1: of the proof while it is made, else of the squarings. */
export const taskShare = ({ phase, phase_progress: proof, progress, iterations }: Shared): number =>
  phase === 'prove' ? proof : iterations === 0 ? 0 : progress / iterations

/** What the tab's title begins with: the progress of the first task that works, and how many others there are. */
export function titleOf(tasks: readonly Titled[]): string {
  const running = tasks.filter(({ status }) => status === 'running')
  const first = running.find(({ paused, queue_position: place }) => !paused && place === null)
  if (first === undefined) return ''
  return `${percent(taskShare(first))} ${first.name}${running.length > 1 ? ` +${running.length - 1}` : ''}`
}

const STEPS = [
  ['commit', 'Commit'],
  ['pulse', 'Pulse'],
  ['evaluate', 'Square'],
  ['prove', 'Prove'],
  ['reveal', 'Reveal']
] as const

export function taskSteps({
  phase,
  status
}: Pick<TaskView, 'phase' | 'status'>): { word: string; state: 'done' | 'now' | 'later' }[] {
  const at = status === 'completed' ? STEPS.length : STEPS.findIndex(([step]) => step === phase)
  return STEPS.map(([, word], index) => ({ word, state: index < at ? 'done' : index === at ? 'now' : 'later' }))
}

type Sampled = Pick<TaskView, 'task_id' | 'status' | 'paused' | 'phase' | 'iterations_per_second'>

/** Ten minutes at one a second. */
const MAX_SAMPLES = 600

/** The rate of each running task over time, as far as this page has seen it. */
export class Rates {
  #kept = new Map<string, Line>()

  /** `tasks`: as read at `nowMs`. What has ended is forgotten. */
  note(tasks: readonly Sampled[], nowMs: number): void {
    const running = tasks.filter(({ status }) => status === 'running')
    for (const id of [...this.#kept.keys()])
      if (!running.some(({ task_id: each }) => each === id)) this.#kept.delete(id)
    for (const { task_id: id, paused, phase, iterations_per_second: rate } of running) {
      const { times, values } = this.of(id)
      const seconds = Math.floor(nowMs / 1000)
      if (times.at(-1) === seconds) continue
      // A pause is seen as a gap.
      const isWorking = phase === 'evaluate' && !paused && rate !== null
      if (!isWorking && (values.length === 0 || values.at(-1) === null)) continue
      this.#kept.set(id, {
        times: [...times, seconds].slice(-MAX_SAMPLES),
        values: [...values, isWorking ? rate : null].slice(-MAX_SAMPLES)
      })
    }
  }

  /** Squarings a second; null while it did not work. */
  of(id: string): Line {
    return this.#kept.get(id) ?? { times: [], values: [] }
  }
}

export const rates = new Rates()
