/** What a task is at, in words. Pure. */
import type { TaskView } from '../lib/api.ts'
import { percent } from '../lib/words.ts'
import type { Tone } from '../parts/basics.ts'

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
