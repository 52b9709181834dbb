/** What the daemon says of many names, and of what it has to work with. Starts nothing. */
import { type Client, ProblemError } from '../../api/client/client.ts'
import type { FarmView } from '../../views/farm.ts'
import type { Estimate, TaskView } from '../../views/task.ts'
import { forEachConcurrently } from '../../util/concurrency.ts'
import type { BadLine, NameLine } from './names-file.ts'

/**
 * `registered`: this daemon has it. `own`: a key of this seed holds it, so that a registration takes it up without
 * work. `free`: nobody holds it; `unknown`: nobody was asked.
 */
export type NameState = 'registered' | 'working' | 'own' | 'taken' | 'free' | 'unknown'

export interface SurveyedName extends NameLine {
  readonly state: NameState
  readonly estimate: Estimate
  /** Its registration under way. */
  readonly task?: TaskView | undefined
}

export interface Survey {
  readonly names: readonly SurveyedName[]
  /** Names that the rules of the network refuse. */
  readonly bad: readonly BadLine[]
  readonly tasks: readonly TaskView[]
  /** Why no peer could be asked, without a full stop. */
  readonly unasked?: string | undefined
}

interface SurveyOptions {
  /** Whether peers are asked who holds the names: as a registration asks, so that they do not learn them. */
  readonly lookUp: boolean
  readonly signal: AbortSignal
  readonly whenDone?: (names: number) => void
}

/** A look-up asks some twenty peers, which take turns. */
const AT_ONCE = 8
/** Of a name that can never be registered. */
const REFUSALS: ReadonlySet<string> = new Set(['SVC-NAM-001', 'SVC-NAM-002', 'SVC-REQ-001'])

export async function surveyNames(
  client: Client,
  lines: readonly NameLine[],
  { lookUp, signal, whenDone }: SurveyOptions
): Promise<Survey> {
  const tasks = await client.tasks({ signal })
  const working = new Map(tasks.filter(({ status }) => status === 'running').map((task) => [task.name, task]))
  const names = new Map<string, SurveyedName>()
  const bad: BadLine[] = []
  let unasked: string | undefined
  const ask = async ({ line, name }: NameLine): Promise<void> => {
    const task = working.get(name)
    try {
      const asks = lookUp && task === undefined && unasked === undefined
      const estimate = await client.estimate(name, { lookUp: asks, signal })
      names.set(name, { line, name, estimate, task, state: stateOf(estimate, task) })
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      if (error.code === 'SVC-RES-001') {
        unasked ??= error.detail.replace(/\.$/u, '')
        return ask({ line, name })
      }
      if (!REFUSALS.has(error.code)) throw error
      bad.push({ line, text: name, message: `${name}: ${error.detail}` })
    }
    whenDone?.(names.size + bad.length)
  }
  // The first one has the rate measured.
  const [first, ...others] = lines
  if (first !== undefined) await ask(first)
  await forEachConcurrently(others, AT_ONCE, ask)
  return {
    names: lines.flatMap(({ name }) => names.get(name) ?? []),
    bad: bad.sort((left, right) => left.line - right.line),
    tasks,
    unasked
  }
}

function stateOf({ kind, holder }: Estimate, task: TaskView | undefined): NameState {
  if (kind === 'renew') return 'registered'
  if (task !== undefined) return 'working'
  if (holder === null) return 'unknown'
  return holder.by === 'nobody' ? 'free' : holder.by === 'own' ? 'own' : 'taken'
}

/** What the plan needs of the daemon besides its names. */
export interface Machine {
  readonly maxTasks: number
  readonly threads: number
  readonly queue: number
  readonly memoryMib: number
  readonly autoRenew: boolean
  readonly isLocked: boolean
  /** Of the disk with the data directory; undefined where the daemon does not say. */
  readonly freeBytes: number | undefined
  readonly farm: FarmView
}

export async function surveyMachine(client: Client, signal: AbortSignal): Promise<Machine> {
  const [config, farm, seed, metrics] = await Promise.all([
    client.config({ signal }),
    client.farm({ signal }),
    client.seed({ signal }),
    client.metrics({ signal })
  ])
  const vdf = config['vdf'] as Readonly<Record<'max_tasks' | 'threads' | 'queue' | 'memory_mib', number>>
  const free = /^chronym_disk_free_bytes (?<bytes>\S+)$/mu.exec(metrics)?.groups?.['bytes']
  return {
    maxTasks: vdf.max_tasks,
    threads: vdf.threads,
    queue: vdf.queue,
    memoryMib: vdf.memory_mib,
    autoRenew: config['auto_renew'] as boolean,
    isLocked: seed.state === 'locked',
    freeBytes: free === undefined ? undefined : Number(free),
    farm
  }
}
