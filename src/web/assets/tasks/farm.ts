/** The farm: shown where `vdf.farm` is set. */
import type { FarmView, TaskView } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { to } from '../lib/router.ts'
import { count, duration, plural, short } from '../lib/words.ts'
import { Badge, Card, facts, Notice } from '../parts/basics.ts'
import { table } from '../parts/table.ts'
import { coreTimes } from './core-time.ts'

/** As often as workers report. */
const EVERY_MS = 2000

const ofCore = (seconds: number | null): string => (seconds === null ? '' : duration(seconds))

const workersTable = (workers: FarmView['workers']) =>
  table({
    caption: 'Workers of the farm',
    rows: workers,
    keyOf: ({ worker }) => worker,
    columns: [
      { title: 'Worker', cell: ({ worker }) => worker },
      { title: 'Busy threads', isNumber: true, cell: ({ busy, threads }) => `${count(busy)} of ${count(threads)}` },
      {
        title: 'Squarings',
        isNumber: true,
        cell: ({ iterations_per_second: rate }) => (rate > 0 ? `${short(rate)}/s` : '')
      }
    ]
  })

const timesTable = (times: ReturnType<typeof coreTimes>) =>
  table({
    caption: 'Core time by name',
    rows: times,
    keyOf: ({ id }) => id,
    columns: [
      { title: 'Name', cell: ({ name }) => html`<a href=${to('names', name)}>${name}</a>` },
      { title: 'Where', cell: ({ where }) => where },
      { title: 'Core time so far', isNumber: true, cell: ({ spent }) => ofCore(spent) },
      { title: 'Left', isNumber: true, cell: ({ left }) => ofCore(left) }
    ]
  })

export const useFarm = (): FarmView | undefined =>
  useResource('/api/farm', { every: (read) => (read?.enabled === true ? EVERY_MS : Infinity) }).data

export function FarmCard({ tasks }: { tasks: readonly TaskView[] }) {
  const farm = useFarm()
  if (farm?.enabled !== true) return null
  const { connected, workers, wrong_proofs: wrong, barred } = farm
  const waiting = tasks.filter(({ status, phase }) => status === 'running' && phase === 'queued').length
  const threads = workers.reduce((sum, each) => sum + each.threads, 0)
  const rate = workers.reduce((sum, each) => sum + each.iterations_per_second, 0)
  const times = coreTimes(tasks, farm)
  return html`
    <${Card} title="Farm">
      ${facts([
        ['Server', html`<${Badge} tone=${connected ? 'good' : 'warn'}>${connected ? 'reached' : 'not reached'}<//>`],
        ['Workers', `${plural(workers.length, 'worker')}, ${plural(threads, 'thread')}`],
        rate > 0 && ['Squarings there', `${short(rate)}/s`],
        ['Tasks there', count(farm.tasks)],
        ['Waiting for a slot', count(waiting)]
      ])}
      ${
        wrong > 0 &&
        html`<${Notice} tone="bad" title=${plural(wrong, 'wrong proof')}
          >From ${barred.join(', ')}. This daemon gives it no more work; look at that machine.<//
        >`
      }
      ${
        !connected &&
        html`<${Notice} tone="warn" title="The server of the farm is not reached"
          >The daemon keeps trying. After a minute what is there comes home, and goes on here, slower.<//
        >`
      }
      ${
        workers.length > 0 &&
        html`<h3>Workers</h3>
          ${workersTable(workers)}`
      }
      ${
        times.length > 0 &&
        html`<h3>Core time by name, at the rate of now</h3>
          ${timesTable(times)}`
      }
    <//>
  `
}
