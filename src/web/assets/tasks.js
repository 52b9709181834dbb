import { ask } from './dialog.js'
import { $, attempt, button, count, duration, element } from './elements.js'
import { get, post, remove, stream } from './http.js'
import { removeTask } from './task-acts.js'
import { taskState } from './task-state.js'

/** A browser opens six connections to one place; the rest of the page needs some. Further tasks are polled. */
const MAX_STREAMS = 3

const items = new Map()
const streams = new Map()
let whenEnded = () => {}

/** `listener` is called when a task has ended. */
export const onTaskEnd = (listener) => (whenEnded = listener)

function create(task) {
  const path = `/api/vdf/tasks/${encodeURIComponent(task.task_id)}`
  const act = (work) => () => attempt(async () => (await work(), await refreshTasks()))
  const parts = {
    title: element('strong'),
    phase: element('span'),
    rate: element('span', { className: 'quiet' }),
    bar: element('progress'),
    error: element('div'),
    pause: button(
      'Pause',
      act(() => post(`${path}/${items.get(task.task_id).task.paused ? 'resume' : 'pause'}`))
    ),
    remove: button(
      'Cancel',
      act(() => removeTask({ post, remove, ask }, () => items.get(task.task_id)?.task))
    )
  }
  parts.bar.setAttribute('aria-label', `Progress of ${task.name}`)
  const line = element(
    'div',
    { className: 'line' },
    parts.title,
    parts.phase,
    parts.rate,
    element('span', {}, parts.pause, ' ', parts.remove)
  )
  return { ...parts, node: element('li', {}, line, parts.bar, parts.error), task }
}

/** Of many such buttons a screen reader tells which one it is. */
function setText(node, text, { kind, name }) {
  node.textContent = text
  node.setAttribute('aria-label', `${text}: ${kind} ${name}`)
}

function update(task) {
  if (!items.has(task.task_id)) items.set(task.task_id, create(task))
  const item = items.get(task.task_id)
  const running = task.status === 'running'
  const proving = task.phase === 'prove'
  item.task = task
  item.title.textContent = `${task.kind} ${task.name}`
  const { word, tone } = taskState(task)
  item.phase.textContent = word
  item.phase.className = tone
  const speed = task.iterations_per_second === null ? '' : `, ${count(Math.round(task.iterations_per_second))}/s`
  const eta = task.eta_seconds === null ? '' : `, ${duration(task.eta_seconds)} left`
  const done = proving
    ? `proof ${Math.floor(100 * task.phase_progress)}%`
    : `${count(task.progress)} of ${count(task.iterations)}${speed}`
  item.rate.textContent = running ? `${done}${eta}` : ''
  item.bar.max = proving ? 1 : task.iterations
  item.bar.value = proving ? task.phase_progress : task.progress
  item.bar.hidden = !running
  const trouble = task.error ?? task.stalled
  item.error.textContent = trouble === null ? '' : `${trouble.message} (${trouble.code})`
  item.error.className = word === 'cancelled' ? 'quiet' : 'bad'
  item.pause.hidden = !running
  setText(item.pause, task.paused ? 'Resume' : 'Pause', task)
  setText(item.remove, running ? 'Cancel' : 'Clear', task)
  if (!running) unfollow(task.task_id)
}

function follow(taskId) {
  if (streams.has(taskId) || streams.size >= MAX_STREAMS) return
  const path = `/api/vdf/status/${encodeURIComponent(taskId)}/events`
  streams.set(
    taskId,
    stream(path, ['progress', 'phase', 'completed', 'failed'], (type, task) => {
      if (items.has(taskId)) update(task)
      if (type === 'completed' || type === 'failed') whenEnded()
    })
  )
}

function unfollow(taskId) {
  streams.get(taskId)?.()
  streams.delete(taskId)
}

export async function refreshTasks() {
  const tasks = await get('/api/vdf/tasks')
  const ids = new Set(tasks.map(({ task_id: id }) => id))
  for (const [id, { node }] of items) {
    if (ids.has(id)) continue
    unfollow(id)
    node.remove()
    items.delete(id)
  }
  for (const task of tasks) {
    update(task)
    const { node } = items.get(task.task_id)
    if (!node.isConnected) $('tasks').append(node)
    if (task.status === 'running') follow(task.task_id)
  }
  $('no-tasks').hidden = tasks.length > 0
}

export function stopTasks() {
  for (const id of [...streams.keys()]) unfollow(id)
}
