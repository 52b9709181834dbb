import type { TaskView } from '../lib/api.ts'
import { html, useEffect } from '../lib/html.ts'
import { post, remove } from '../lib/http.ts'
import { type Read, refresh, useResource } from '../lib/resource.ts'
import { titlePrefix, to } from '../lib/router.ts'
import { useMay } from '../lib/session.ts'
import { count, dateTime, duration, percent, short, time } from '../lib/words.ts'
import { Badge, Button, Notice, Progress } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { ask } from '../parts/dialog.ts'
import { Graph, type Line } from '../parts/graph.ts'
import { removeTask } from './acts.ts'
import { rates, taskShare, taskState, taskSteps, titleOf } from './state.ts'

const WORKING_MS = 1000
const IDLE_MS = 15_000

/** Read each second while one runs. */
export const useTasks = (): Read<TaskView[]> =>
  useResource('/api/vdf/tasks', {
    every: (tasks) => (tasks?.some(({ status }) => status === 'running') ? WORKING_MS : IDLE_MS),
    on: ['task:']
  })

/** On every view: keeps the rates for the graphs, and shows progress in the tab's title. */
export function TaskWatch() {
  const { data } = useTasks()
  useEffect(() => {
    if (data === undefined) return
    rates.note(data, Date.now())
    titlePrefix.set(titleOf(data))
  }, [data])
  useEffect(() => () => titlePrefix.set(''), [])
  return null
}

/** Fewer points are no line. */
const MIN_POINTS = 3

/** Cancels or clears, after the question of the command line. `taskNow` gives the task as it is shown. */
export async function endTask(taskNow: () => TaskView | undefined): Promise<void> {
  await removeTask({ post, remove, ask }, taskNow)
  await refresh('/api/vdf', '/api/names')
}

const KIND_WORDS = { register: 'Registering', renew: 'Renewing' }

const Steps = ({ task }: { task: TaskView }) => html`
  <ol class="task-steps" aria-label="Steps">
    ${taskSteps(task).map(
      ({ word, state }) =>
        html`<li class=${state} aria-current=${state === 'now' ? 'step' : undefined} key=${word}>${word}</li>`
    )}
  </ol>
`

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

const graphLabel = ({ name }: TaskView, { times, values }: Line): string =>
  `Squarings a second of ${name} over the last ${duration((times.at(-1) ?? 0) - (times[0] ?? 0))}; ` +
  `now ${count(Math.round(values.at(-1) ?? 0))}`

/** A running task. `taskNow(id)`: the task as it is now, for a question that takes its time. */
export function TaskCard({ task, taskNow }: { task: TaskView; taskNow: (id: string) => TaskView | undefined }) {
  const may = useMay('vdf')
  const { word, tone } = taskState(task)
  const graph = rates.of(task.task_id)
  const name = `${task.kind} ${task.name}`
  // What has not begun yet needs no more than a line.
  const isQueued = task.phase === 'queued' && task.progress === 0
  const setPaused = async () => {
    await post(`/api/vdf/tasks/${encodeURIComponent(task.task_id)}/${task.paused ? 'resume' : 'pause'}`)
    await refresh('/api/vdf')
  }
  return html`
    <article class="task" aria-label=${name}>
      <div class="row">
        <h3>${KIND_WORDS[task.kind]} <a href=${to('names', task.name)}>${task.name}</a></h3>
        <${Badge} tone=${task.paused ? 'warn' : tone === '' ? 'accent' : tone}>${word}<//>
        <div class="actions">
          <${Button}
            kind="small"
            icon=${task.paused ? 'play' : 'pause'}
            disabled=${!may}
            onClick=${setPaused}
            label=${`${task.paused ? 'Resume' : 'Pause'}: ${name}`}
            >${task.paused ? 'Resume' : 'Pause'}<//
          >
          <${Button}
            kind="small"
            icon="close"
            disabled=${!may}
            label=${`Cancel: ${name}`}
            onClick=${() => endTask(() => taskNow(task.task_id))}
            >Cancel<//
          >
        </div>
      </div>
      ${
        !isQueued &&
        html`<${Steps} task=${task} />
          <div class="row progress-row">
            <${Progress} value=${taskShare(task)} max=${1} label=${`Progress of ${name}`} />
            <strong class="number">${percent(taskShare(task))}</strong>
          </div>`
      }
      <p class="quiet number">${line(task).join(' · ')}</p>
      ${
        task.deadline !== null &&
        html`<p class="quiet hint">Peers witness the claim until ${dateTime(task.deadline)}.</p>`
      }
      ${
        task.stalled !== null &&
        html`<${Notice} tone="warn" title="It cannot go on just now"
          ><${Told} text=${task.stalled.message} /> (${task.stalled.code})<//
        >`
      }
      ${graph.times.length >= MIN_POINTS && html`<${Graph} ...${graph} label=${graphLabel(task, graph)} unit="/s" />`}
    </article>
  `
}
