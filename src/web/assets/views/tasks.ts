import type { TaskView } from '../lib/api.ts'
import { html, useNow, useRef } from '../lib/html.ts'
import { remove } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { to, type View } from '../lib/router.ts'
import { useMay } from '../lib/session.ts'
import { plural, relative } from '../lib/words.ts'
import { RegisterButton } from '../names/acts.ts'
import { toast } from '../parts/act.ts'
import { Badge, Button, Card, Empty, Loaded, Page, When } from '../parts/basics.ts'
import { ask } from '../parts/dialog.ts'
import { type Column, Table } from '../parts/table.ts'
import { endTask, TaskCard, useTasks } from '../tasks/card.ts'
import { taskState } from '../tasks/state.ts'

async function clearAll(ended: readonly TaskView[]): Promise<void> {
  const isAgreed = await ask({
    title: `Clear ${plural(ended.length, 'ended task')}?`,
    lines: ['They disappear from this list. Names and finished proofs stay.'],
    yes: 'Clear all',
    no: 'Keep them'
  })
  if (!isAgreed) return
  for (const { task_id: id } of ended) await remove(`/api/vdf/status/${encodeURIComponent(id)}`)
  await refresh('/api/vdf')
  toast(`${plural(ended.length, 'ended task')} cleared.`)
}

function Ended({ tasks, taskNow }: { tasks: readonly TaskView[]; taskNow: (id: string) => TaskView | undefined }) {
  const may = useMay('vdf')
  const now = useNow(30_000)
  const columns: readonly Column<TaskView>[] = [
    { title: 'Task', cell: ({ kind, name }) => html`${kind} <a href=${to('names', name)}>${name}</a>` },
    {
      title: 'Outcome',
      cell: (task) => {
        const { word, tone } = taskState(task)
        return html`<${Badge} tone=${tone}>${word}<//> ${
            task.error !== null &&
            tone === 'bad' &&
            html`<p class="field-error">${task.error.message} (${task.error.code})</p>`
          }`
      }
    },
    {
      title: 'Ended',
      cell: ({ updated_at: at }) =>
        html`<${When} at=${at}>${relative(Date.parse(at), Math.max(now, Date.parse(at)))}<//>`
    },
    {
      title: 'Actions',
      isHidden: true,
      cell: (task) =>
        html`<div class="actions">
          <${Button}
            kind="small"
            disabled=${!may}
            label=${`Clear: ${task.kind} ${task.name}`}
            onClick=${() => endTask(() => taskNow(task.task_id))}
            >Clear<//
          >
        </div>`
    }
  ]
  return html`<${Table}
    caption="Ended tasks"
    columns=${columns}
    rows=${tasks}
    keyOf=${({ task_id: id }: TaskView) => id}
  />`
}

function View() {
  const tasks = useTasks()
  const may = useMay('vdf')
  const all = useRef<readonly TaskView[]>([])
  all.current = tasks.data ?? []
  const taskNow = (id: string) => all.current.find(({ task_id: each }) => each === id)
  const running = all.current.filter(({ status }) => status === 'running')
  const ended = all.current
    .filter(({ status }) => status !== 'running')
    .sort((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at))
  return html`
    <${Page}
      title="Tasks"
      lead="What this daemon computes: registrations and renewals. They go on after a restart."
      actions=${html`<${RegisterButton} />`}
    >
      <${Loaded} of=${tasks}>
        <${Card} title="Running">
          ${
            running.length === 0
              ? html`<${Empty} icon="tasks" title="Nothing is being computed"
                  ><p>Register a name, or wait: the daemon renews your names by itself.</p><//
                >`
              : running.map((task) => html`<${TaskCard} key=${task.task_id} task=${task} taskNow=${taskNow} />`)
          }
        <//>
        ${
          ended.length > 0 &&
          html`<${Card}
            title="Ended"
            actions=${html`<${Button} kind="small" icon="trash" disabled=${!may} onClick=${() => clearAll(ended)}
              >Clear all<//
            >`}
            ><${Ended} tasks=${ended} taskNow=${taskNow}
          /><//>`
        }
      <//>
    <//>
  `
}

export const view: View = { path: '/tasks', title: 'Tasks', icon: 'tasks', View }
