/**
 * npm run bench:tasks -- [--json] [--part overhead,proving,segments,checkpoints,cancel,neighbour] [--long]
 *
 * What tasks cost and how they treat the rest of the machine, each figure beside its target. Times are compared in
 * alternated runs, or as the quickest of many, on one machine at one time. `--long` adds the proof of 100 million
 * squarings, which takes some minutes of squaring, and measures the overhead four times as long.
 */
import { parseArgs } from 'node:util'
import { measureCheckpoint, measureLargest, type CheckpointFigures } from './tasks/checkpoints.ts'
import { cancelProving, cancelSquaring, type Cancels } from './tasks/cancel.ts'
import { measureNeighbour, type Neighbour } from './tasks/neighbour.ts'
import { measureOverhead, type Overhead } from './tasks/overhead.ts'
import { measureProving, type Proving } from './tasks/proving.ts'
import { measureSegments, type Segments } from './tasks/segments.ts'
import { square } from './tasks/squared.ts'
import { machine } from './machine.ts'

const MILLION = 1_000_000
const CANCELS = 100
const LOAD_SECONDS = 20

const TARGETS = {
  overhead_ratio: 1.01,
  after_last_squaring: 0.01,
  proving_share: { at_1_million: 0.13, from_10_million: 0.1 },
  checkpoint_bytes: 2 * 2 ** 30,
  cancel_max_ms: 200,
  api_p99_ms: 25,
  loop_delay_p99_ms: 20
}

const PARTS = ['overhead', 'proving', 'segments', 'checkpoints', 'cancel', 'neighbour'] as const
type Part = (typeof PARTS)[number]

interface Figures {
  overhead?: Overhead
  proving?: Proving[]
  segments?: Segments[]
  checkpoints?: CheckpointFigures[]
  cancel?: Cancels[]
  neighbour?: Neighbour
}

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, long: { type: 'boolean' }, part: { type: 'string' } }
})
const chosen = new Set<string>(values.part?.split(',') ?? PARTS)
for (const part of chosen)
  if (!PARTS.includes(part as Part)) throw new Error(`no part "${part}"; there are ${PARTS.join(', ')}`)

const figures: Figures = {}
if (chosen.has('overhead')) figures.overhead = await measureOverhead(values.long === true ? 4 : 1)
if (chosen.has('neighbour')) figures.neighbour = await measureNeighbour(LOAD_SECONDS)
const lengths = [1, 10, ...(values.long === true ? [100] : [])].map((millions) => millions * MILLION)
if (chosen.has('segments')) figures.segments = lengths.filter((iterations) => iterations > MILLION).map(measureSegments)
if (['proving', 'checkpoints', 'cancel'].some((part) => chosen.has(part))) await measureSquared()

async function measureSquared(): Promise<void> {
  const first = square(MILLION)
  if (chosen.has('cancel')) figures.cancel = [await cancelSquaring(CANCELS), await cancelProving(CANCELS, first)]
  for (const iterations of chosen.has('proving') || chosen.has('checkpoints') ? lengths : []) {
    const squared = iterations === MILLION ? first : square(iterations)
    if (chosen.has('proving')) (figures.proving ??= []).push(measureProving(squared, 3))
    if (chosen.has('checkpoints')) (figures.checkpoints ??= []).push(await measureCheckpoint(squared))
  }
  if (chosen.has('checkpoints')) figures.checkpoints?.push(await measureLargest(first.state))
}

const result = { machine: machine(), ...figures, targets: TARGETS }

if (values.json === true) process.stdout.write(`${JSON.stringify(result)}\n`)
else {
  const { cpu, cores, node } = result.machine
  const rows = [
    ...overheadRows(figures.overhead),
    ...(figures.proving ?? []).map(provingRow),
    ...(figures.segments ?? []).map(segmentsRow),
    ...(figures.checkpoints ?? []).map(checkpointRow),
    ...(figures.cancel ?? []).map(cancelRow),
    ...neighbourRows(figures.neighbour)
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  const text = rows.map(
    ([label, figure, target]) => `  ${label.padEnd(width)}  ${figure}${target === '' ? '' : `   (target: ${target})`}`
  )
  process.stdout.write(`${cpu}, ${cores} cores, Node ${node}\n\n${text.join('\n')}\n`)
}

type Row = readonly [label: string, figure: string, target: string]

function overheadRows(overhead: Overhead | undefined): Row[] {
  if (overhead === undefined) return []
  const {
    ratio,
    ratio_quartiles: quartiles,
    cpu_ratio: cpu,
    beside,
    squarings_per_second: rate,
    checkpoint_seconds: seconds
  } = overhead
  return [
    [
      `a task to the bare loop, a checkpoint every ${seconds} s`,
      `${ratio} (quartiles ${quartiles.join(', ')}; in processor time ${cpu}; ` +
        `other threads ${(beside * 100).toFixed(2)}%)`,
      `at most ${TARGETS.overhead_ratio}`
    ],
    ['squarings per second of a task', rate.toLocaleString('en'), '']
  ]
}

function provingRow({ iterations, one_core: one, two_cores: two }: Proving): Row {
  const target = iterations > MILLION ? TARGETS.proving_share.from_10_million : TARGETS.proving_share.at_1_million
  const percent = (share: number): string => `${(share * 100).toFixed(1)}%`
  const second = two === null ? '' : `; on two ${percent(two.share)}, ${two.speedup} times as fast`
  return [
    `proving ${millions(iterations)} squarings, in their time on one core`,
    `on one ${percent(one.share)}${second}`,
    `at most ${target * 100}%`
  ]
}

function segmentsRow({ iterations, threads, after_seconds: after, after_share: share }: Segments): Row {
  const label = `proof of ${millions(iterations)} squarings in two segments, after the last one`
  return [
    label,
    `${after} s, ${(share * 100).toFixed(2)}% of the squarings' time, on ${threads} threads`,
    `at most ${TARGETS.after_last_squaring * 100}%`
  ]
}

function checkpointRow({ iterations, bytes, load_seconds: load, resume_seconds: resume }: CheckpointFigures): Row {
  const label =
    resume === null ? 'the largest checkpoint, of any length' : `checkpoint of ${millions(iterations)} squarings`
  return [
    label,
    `${(bytes / 2 ** 20).toFixed(1)} MiB, loaded in ${load} s` +
      (resume === null ? '' : `, checked by the kernel in ${resume} s`),
    `at most ${TARGETS.checkpoint_bytes / 2 ** 30} GiB`
  ]
}

function cancelRow({ phase, cancels, loop_median_ms: median, loop_max_ms: max, answer_max_ms: answer }: Cancels): Row {
  const label = `${cancels} cancels while ${phase === 'prove' ? 'proving' : 'squaring'}`
  return [
    label,
    `the loop ends after ${median} ms (median), ${max} ms (longest); answered after at most ${answer} ms`,
    `under ${TARGETS.cancel_max_ms} ms`
  ]
}

function neighbourRows(neighbour: Neighbour | undefined): Row[] {
  if (neighbour === undefined) return []
  const { evaluations, api_p50_ms: p50, api_p99_ms: p99, loop_delay_p99_ms: loop } = neighbour
  return [
    [
      `GET /api/network-status beside ${evaluations} evaluations`,
      `p50 ${p50} ms, p99 ${p99} ms`,
      `p99 under ${TARGETS.api_p99_ms} ms`
    ],
    ['delay of the event loop', `p99 ${loop} ms`, `under ${TARGETS.loop_delay_p99_ms} ms`]
  ]
}

function millions(count: number): string {
  return `${(count / MILLION).toLocaleString('en')} million`
}
