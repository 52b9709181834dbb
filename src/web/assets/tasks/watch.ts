import type { TaskView } from '../lib/api.ts'
import { useEffect } from '../lib/html.ts'
import { useResource, type Read } from '../lib/resource.ts'
import { titlePrefix } from '../shell/title.ts'
import { rates } from './rates.ts'
import { titleOf } from './state.ts'

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
