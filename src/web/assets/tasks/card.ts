import type { TaskPlace, TaskView } from '../lib/api.ts'
import { h, html, useEffect, useRef } from '../lib/html.ts'
import { post, remove } from '../lib/http.ts'
import { refresh, useResource, type Read } from '../lib/resource.ts'
import { titlePrefix, to } from '../lib/router.ts'
import { useMay } from '../lib/session.ts'
import { dateTime, duration, percent, short, time } from '../lib/words.ts'
import { toast } from '../parts/act.ts'
import { Badge, Button, Notice, Progress } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { ask } from '../parts/dialog.ts'
import { otherPlace, removeTask } from './acts.ts'
import { useFarm } from './farm.ts'
import { taskShare, taskState, taskSteps, titleOf } from './state.ts'

const WORKING_MS = 1000
const IDLE_MS = 15_000

/** Read each second while one runs. */
export const useTasks = (): Read<TaskView[]> =>
  useResource('/api/vdf/tasks', {
    every: (tasks) => (tasks?.some(({ status }) => status === 'running') ? WORKING_MS : IDLE_MS),
    on: ['task:']
  })

/** On every view: shows progress in the tab's title. */
export function TaskWatch() {
  const { data } = useTasks()
  useEffect(() => {
    if (data === undefined) return
    titlePrefix.set(titleOf(data))
  }, [data])
  useEffect(() => () => titlePrefix.set(''), [])
  return null
}

/** Cancels or clears a task by its id, after the question of the command line: that takes the task as it is then. */
export function useEndTask(): (id: string) => Promise<void> {
  const tasks = useRef<readonly TaskView[]>(undefined)
  tasks.current = useTasks().data
  return async (id) => {
    await removeTask({ post, remove, ask }, () => tasks.current?.find(({ task_id: each }) => each === id))
    await refresh('/api/vdf', '/api/names')
  }
}

/** The words of `chronym tasks move`. */
const MOVES = {
  farm: { act: 'Move to the farm', icon: 'out', said: 'goes to the farm' },
  local: { act: 'Move here', icon: 'home', said: 'comes to this machine' }
} as const

const KIND_WORDS = { register: 'Registering', renew: 'Renewing' }

function line(task: TaskView): string[] {
  const { phase, progress, iterations, iterations_per_second: rate, eta_seconds: eta } = task
  const done =
    phase === 'prove'
      ? `proof ${percent(task.phase_progress)}`
      : progress === 0
        ? `${short(iterations)} squarings to do`
        : `${short(progress)} of ${short(iterations)} squarings`
  return [
    done,
    rate !== null && phase === 'evaluate' && !task.paused && `${short(rate)}/s`,
    eta !== null && !task.paused && `${duration(eta)} left, until about ${time(Date.now() + eta * 1000)}`
  ].filter((part) => part !== false)
}

const progress = (task: TaskView, name: string) => html`
  <ol class="task-steps" aria-label="Steps">
    ${taskSteps(task).map(
      ({ word, state }) =>
        html`<li class=${state} aria-current=${state === 'now' ? 'step' : undefined} key=${word}>${word}</li>`
    )}
  </ol>
  <div class="row progress-row">
    ${h(Progress, { value: taskShare(task), max: 1, label: `Progress of ${name}` })}
    <strong class="number">${percent(taskShare(task))}</strong>
  </div>
`

/** A running task. */
export function TaskCard({ task }: { task: TaskView }) {
  const disabled = !useMay('vdf')
  const endTask = useEndTask()
  const { task_id: id, paused, stalled, deadline } = task
  const { word, tone } = taskState(task)
  const name = `${task.kind} ${task.name}`
  // What has not begun yet needs no more than a line.
  const isQueued = task.phase === 'queued' && task.progress === 0
  const act = paused ? 'Resume' : 'Pause'
  const setPaused = async () => {
    await post(`/api/vdf/tasks/${encodeURIComponent(id)}/${paused ? 'resume' : 'pause'}`)
    await refresh('/api/vdf')
  }
  const other = otherPlace(task, useFarm())
  const move = async (place: TaskPlace) => {
    await post(`/api/vdf/tasks/${encodeURIComponent(id)}/move`, { place })
    toast(`The task of ${task.name} ${MOVES[place].said}.`)
    await refresh('/api/vdf', '/api/farm')
  }
  const button = { kind: 'small', disabled }
  return html`
    <article class="task" aria-label=${name}>
      <div class="row">
        <h3>${KIND_WORDS[task.kind]} <a href=${to('names', task.name)}>${task.name}</a></h3>
        <${Badge} tone=${paused ? 'warn' : tone === '' ? 'accent' : tone}>${word}<//>
        <div class="actions">
          ${h(
            Button,
            { ...button, icon: paused ? 'play' : 'pause', label: `${act}: ${name}`, onClick: setPaused },
            act
          )}
          ${
            other !== null &&
            h(
              Button,
              { ...button, icon: MOVES[other].icon, label: `${MOVES[other].act}: ${name}`, onClick: () => move(other) },
              MOVES[other].act
            )
          }
          ${h(Button, { ...button, icon: 'close', label: `Cancel: ${name}`, onClick: () => endTask(id) }, 'Cancel')}
        </div>
      </div>
      ${!isQueued && progress(task, name)}
      <p class="quiet number">${line(task).join(' · ')}</p>
      ${deadline !== null && html`<p class="quiet hint">Peers witness the claim until ${dateTime(deadline)}.</p>`}
      ${
        stalled !== null &&
        html`<${Notice} tone="warn" title="It cannot go on just now"
          ><${Told} text=${stalled.message} /> (${stalled.code})<//
        >`
      }
    </article>
  `
}
