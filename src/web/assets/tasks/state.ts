import { percent } from '../lib/words.ts'

/** The code by which the daemon tells a cancelled task from a failed one; its status is `failed` too. */
const CANCELLED = 'SVC-TSK-003'

/** What a task is at, as a word, and the class of its colour: only a failure is red. */
export function taskState({ status, error, paused, phase, queue_position: place }) {
  if (status === 'completed') return { word: 'completed', tone: 'good' }
  if (status === 'failed')
    return error?.code === CANCELLED ? { word: 'cancelled', tone: 'quiet' } : { word: 'failed', tone: 'bad' }
  if (paused) return { word: 'paused', tone: '' }
  return { word: place === null ? phase : `${phase}, place ${place}`, tone: '' }
}

/** Share of a task that is done, 0 to 1: of the proof while it is made, else of the squarings. */
export const taskShare = ({ phase, phase_progress: proof, progress, iterations }) =>
  phase === 'prove' ? proof : iterations === 0 ? 0 : progress / iterations

/** Of a task: does it work now, neither paused nor waiting for a slot? */
export const isWorking = ({ status, paused, queue_position: place }) =>
  status === 'running' && !paused && place === null

/** What the tab's title begins with: the progress of the first task that works, and how many others there are. */
export function titleOf(tasks) {
  const running = tasks.filter(({ status }) => status === 'running')
  const first = running.find(isWorking)
  if (first === undefined) return ''
  return `${percent(taskShare(first))} ${first.name}${running.length > 1 ? ` +${running.length - 1}` : ''}`
}

const ORDER = ['commit', 'pulse', 'evaluate', 'prove', 'reveal']
const WORDS = { commit: 'Commit', pulse: 'Pulse', evaluate: 'Square', prove: 'Prove', reveal: 'Reveal' }

/** The steps of a task: [{word, state: 'done' | 'now' | 'later'}]. */
export function taskSteps({ phase, status }) {
  const at = status === 'completed' ? ORDER.length : ORDER.indexOf(phase)
  return ORDER.map((step, index) => ({
    word: WORDS[step],
    state: index < at ? 'done' : index === at ? 'now' : 'later'
  }))
}
