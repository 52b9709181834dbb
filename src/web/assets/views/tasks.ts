import type { TaskView } from '../lib/api.ts'
import { h, html, useNow } from '../lib/html.ts'
import { remove } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { to } from '../lib/router.ts'
import { useMay } from '../lib/session.ts'
import { plural, relative } from '../lib/words.ts'
import { RegisterButton } from '../names/acts.ts'
import { toast } from '../parts/act.ts'
import { Badge, Button, Card, Empty, loaded, Page, When } from '../parts/basics.ts'
import { ask } from '../parts/dialog.ts'
import { table } from '../parts/table.ts'
import { TaskCard, useEndTask, useTasks } from '../tasks/card.ts'
import { FarmCard } from '../tasks/farm.ts'
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

function Ended({ tasks }: { tasks: readonly TaskView[] }) {
  const disabled = !useMay('vdf')
  const endTask = useEndTask()
  const now = useNow(30_000)
  return table({
    caption: 'Ended tasks',
    rows: tasks,
    keyOf: ({ task_id: id }) => id,
    columns: [
      { title: 'Task', cell: ({ kind, name }) => html`${kind} <a href=${to('names', name)}>${name}</a>` },
      {
        title: 'Outcome',
        cell: (task) => {
          const { word, tone } = taskState(task)
          const { error } = task
          return html`<${Badge} tone=${tone}>${word}<//>
            ${error !== null && tone === 'bad' && html`<p class="field-error">${error.message} (${error.code})</p>`}`
        }
      },
      {
        title: 'Ended',
        cell: ({ updated_at: at }) => h(When, { at }, relative(Date.parse(at), Math.max(now, Date.parse(at))))
      }
    ],
    actionsOf: ({ task_id: id, kind, name }) => {
      const label = `Clear: ${kind} ${name}`
      return h(Button, { kind: 'small', disabled, label, onClick: () => endTask(id) }, 'Clear')
    }
  })
}

const LEAD = 'What this daemon computes: registrations and renewals. They go on after a restart.'

export function View() {
  const tasks = useTasks()
  const disabled = !useMay('vdf')
  return html`
    <${Page} title="Tasks" lead=${LEAD} actions=${html`<${RegisterButton} />`}>
      ${loaded(tasks, (all) => {
        const running = all.filter(({ status }) => status === 'running')
        const ended = all
          .filter(({ status }) => status !== 'running')
          .sort((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at))
        const clear = { kind: 'small', icon: 'trash', disabled, onClick: () => clearAll(ended) } as const
        return html`
          ${h(FarmCard, { tasks: running })}
          <${Card} title="Running">
            ${
              running.length === 0
                ? html`<${Empty} icon="tasks" title="Nothing is being computed"
                    ><p>Register a name, or wait: the daemon renews your names by itself.</p><//
                  >`
                : running.map((task) => h(TaskCard, { key: task.task_id, task }))
            }
          <//>
          ${
            ended.length > 0 &&
            html`<${Card} title="Ended" actions=${h(Button, clear, 'Clear all')}>${h(Ended, { tasks: ended })}<//>`
          }
        `
      })}
    <//>
  `
}
