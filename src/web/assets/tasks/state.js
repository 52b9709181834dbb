/** The code by which the daemon tells a cancelled task from a failed one; its status is `failed` too. */
const CANCELLED = 'SVC-TSK-003'

/** The type of an event as it is shown: a cancelled task has failed for programs only. */
export function eventWord({ type, detail }) {
  return type === 'task:failed' && detail.error === CANCELLED ? 'task:cancelled' : type
}

/** What a task is at, as a word, and the class of its colour: only a failure is red. */
export function taskState({ status, error, paused, phase, queue_position: place }) {
  if (status === 'completed') return { word: 'completed', tone: 'good' }
  if (status === 'failed')
    return error?.code === CANCELLED ? { word: 'cancelled', tone: 'quiet' } : { word: 'failed', tone: 'bad' }
  if (paused) return { word: 'paused', tone: '' }
  return { word: place === null ? phase : `${phase}, place ${place}`, tone: '' }
}
