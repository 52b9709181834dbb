/** The options of `npm run lab:sim`. A wrong one is an OptionError, which names what is expected. */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import type { BatchOptions } from './figures/batch/batch.ts'
import { MOVES } from './moves/index.ts'

export const USAGE = `npm run lab:sim -- [--nodes N,...] [--days D] [--names N] [--move NAME,...|all|none] [--ids N,...]
               [--life DAYS] [--routing real|modelled] [--delays published] [--seed S,...]
               [--compare] [--json]
               [--workers N] [--resume FILE]
  each value of a list is run with each of the others; --resume goes on where a command was cut off
npm run lab:sim -- --schedules N [--seed S] [--workers N] [--json]
npm run lab:sim -- --replay SCHEDULE
npm run lab:sim -- --search N [--seed S] [--json]
npm run lab:sim -- --replay-plan PLAN
npm run lab:sim -- --plot FILE.svg [--nodes N] [--days D]
npm run lab:sim -- --figures DIRECTORY [--nodes N,...] [--seed S,...] [--days D] [--resume FILE]
npm run lab:sim -- --look-ups [--nodes N] [--seed S] [--json]
npm run lab:sim -- --position [--nodes N,...] [--seed S] [--json]

Runs a network in virtual time, attacked by one move or by each, and prints what it cost and what it gained.
The exit code is 1 where a move did more harm than the rules allow it, or an invariant was broken; 2 for a wrong
option. lab/reports/simulator.md tells what is modelled.`

export class OptionError extends Error {}

export function fail(problem: string): never {
  throw new OptionError(problem)
}

const option = (value: string) => ({ type: 'string', default: value }) as const
const FLAGS = {
  help: { type: 'boolean', default: false },
  nodes: option('1000'),
  days: option('8'),
  names: option('5'),
  move: option('none'),
  ids: { type: 'string' },
  life: { type: 'string' },
  seed: option('1'),
  routing: { type: 'string' },
  delays: { type: 'string' },
  plot: { type: 'string' },
  figures: { type: 'string' },
  schedules: { type: 'string' },
  replay: { type: 'string' },
  workers: option(`${availableParallelism()}`),
  resume: { type: 'string' },
  search: { type: 'string' },
  'replay-plan': { type: 'string' },
  'look-ups': { type: 'boolean', default: false },
  position: { type: 'boolean', default: false },
  compare: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false }
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof FLAGS }>>['values']
type Counted = 'nodes' | 'days' | 'names' | 'ids' | 'life' | 'schedules' | 'search' | 'seed' | 'workers'

export class Options {
  readonly values: Values

  constructor(args: readonly string[]) {
    try {
      this.values = parseArgs({ options: FLAGS, args: [...args] }).values
    } catch (error) {
      fail(`${(error as Error).message.replace(/\.? To specify.*$/s, '')}; --help lists the options`)
    }
  }

  count(flag: Counted, least: number): number {
    return numberOf(flag, this.values[flag] ?? '', least)
  }

  counts(flag: Counted, least: number): number[] {
    return listOf(this.values[flag] ?? '').map((each) => numberOf(flag, each, least))
  }

  seeds(): string[] {
    return listOf(this.values.seed)
  }

  /** Ids of moves; undefined: a network in peace. */
  moves(): (string | undefined)[] {
    return listOf(this.values.move).flatMap((wanted) => {
      if (wanted === 'all') return [undefined, ...MOVES.map(({ id }) => id)]
      if (wanted === 'none') return [undefined]
      const move = MOVES.find(({ id }) => id === wanted)
      if (move?.routing === 'real' && this.values.routing === 'modelled')
        fail(`--routing: ${move.id} is about look-ups and needs real ones; leave the option out`)
      return move === undefined ? fail(`--move: all, none or one of ${MOVES.map(({ id }) => id).join(', ')}`) : [wanted]
    })
  }

  /** What all runs of a command have in common. */
  common(): {
    readonly days: number
    readonly names: number
    readonly lifeDays?: number
    readonly routing?: 'real' | 'modelled'
    readonly delays?: 'published'
  } {
    const { life, routing, delays } = this.values
    if (delays !== undefined && delays !== 'published') fail(`--delays: published is expected, not ${delays}`)
    return {
      days: this.count('days', 0.1),
      names: this.count('names', 0),
      ...(life !== undefined && { lifeDays: this.count('life', 0.05) }),
      ...(routing !== undefined && { routing: routingOf(routing) }),
      ...(delays !== undefined && { delays })
    }
  }

  batch(what: string): BatchOptions {
    const { resume } = this.values
    return {
      workers: this.count('workers', 1),
      ...(resume !== undefined && { resume }),
      onProgress: (share) => showProgress(what, share)
    }
  }
}

/** A line on a terminal, which `endProgress` takes away. */
export function showProgress(what: string, share: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${what} ${Math.floor(share * 100)}%\u001b[K`)
}

export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
}

function listOf(text: string): string[] {
  return text.split(',')
}

function numberOf(flag: Counted, text: string, least: number): number {
  const value = Number(text)
  if (text === '' || !Number.isFinite(value) || value < least)
    fail(`--${flag}: a number from ${least} is expected, not ${text}`)
  return value
}

function routingOf(text: string): 'real' | 'modelled' {
  if (text !== 'real' && text !== 'modelled') fail(`--routing: real or modelled, not ${text}`)
  return text
}
