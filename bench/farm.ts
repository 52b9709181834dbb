/**
 * npm run bench:farm -- [--json] [--part rate,tasks,restart,load] [--tasks 1000] [--rounds 4] [--workers 1000]
 *   [--seconds 60]
 *
 * What a farm costs (docs/operate/farm.md, "What it costs"): squarings at a worker beside the bare loop by turns, small
 * tasks over several worker processes, a daemon with 300 tasks that starts again, and the server under the messages
 * of many workers.
 * All programs are real, on this machine; only the many workers square nothing.
 */
import { parseArgs } from 'node:util'
import { measureLoad, type ServerLoad } from './farm/load.ts'
import { measureRate } from './farm/rate.ts'
import { measureRestart } from './farm/restart.ts'
import { measureTasks } from './farm/tasks.ts'
import type { Figure } from './figure.ts'
import { machine } from './machine.ts'
import { table } from './report.ts'

const PARTS = ['rate', 'tasks', 'restart', 'load']

const option = (value: string) => ({ type: 'string', default: value }) as const
const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    part: option(PARTS.join(',')),
    tasks: option('1000'),
    rounds: option('4'),
    workers: option('1000'),
    seconds: option('60')
  }
})
const chosen = values.part.split(',')
for (const part of chosen)
  if (!PARTS.includes(part)) throw new Error(`no part "${part}"; there are ${PARTS.join(', ')}`)
if (process.platform !== 'linux') {
  process.stderr.write('bench:farm reads CPU times from /proc: it runs on Linux only\n')
  process.exit(1)
}

const figures: Figure[] = []
let load: ServerLoad | undefined
if (chosen.includes('rate')) figures.push(...(await measureRate()))
if (chosen.includes('tasks')) figures.push(...(await measureTasks(Number(values.tasks), Number(values.rounds))))
if (chosen.includes('restart')) figures.push(await measureRestart(Number(values.rounds)))
if (chosen.includes('load')) load = await measureLoad(Number(values.workers), Number(values.seconds))

const result = { machine: machine(), figures, ...(load !== undefined && { load }) }
if (values.json === true) process.stdout.write(`${JSON.stringify(result)}\n`)
else {
  const { cpu, cores, node } = result.machine
  const lines = Object.entries(load ?? {}).map(([name, value]) => `  ${name.replaceAll('_', ' ')}: ${value}`)
  const text = [...(figures.length > 0 ? [table(figures)] : []), ...lines].join('\n')
  process.stdout.write(`${cpu}, ${cores} cores, Node ${node}\n\n${text}\n`)
}
process.exit(0)
