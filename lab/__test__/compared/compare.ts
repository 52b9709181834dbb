/** Holds the report of one side against that of the other. */
import type { Report } from './scenarios.ts'

/** A figure of a kind: how far apart the sides may be, and why. */
interface Tolerance {
  /** The end of the figure's name. */
  readonly figure: RegExp
  /** Undefined: shown, and not held. */
  readonly factor: number | undefined
  readonly why: string
}

export interface Compared {
  readonly figure: string
  readonly simulated: number
  readonly real: number
  readonly factor: number | undefined
  readonly isWithin: boolean
}

/** The first that fits counts. */
const BY_REAL_ROUTING: readonly Tolerance[] = [
  {
    figure: /, for each node$/,
    factor: undefined,
    why: 'real rounds go on while a test waits, and the simulator leaves out those in which nothing can be new'
  },
  {
    figure: /^commitment .*: (asked|receipts)$/,
    factor: 3,
    why: 'a daemon that takes the network for 64 nodes or more asks those of one half, which is 17 of 50 at least'
  },
  { figure: /hops of a look-up$/, factor: 3, why: 'a real client has just joined, and knows few peers near the key' },
  {
    figure: /./,
    factor: 2,
    why: 'the estimate of the size is off by a third with k known peers, and decides who is asked'
  }
]

/** Modelled look-ups have no messages of their own: the ledger counts their bytes, and `carried` holds them. */
const BY_MODELLED_ROUTING: readonly Tolerance[] = [
  { figure: /questions of look-ups$|bytes of messages$/, factor: undefined, why: 'no messages' },
  ...BY_REAL_ROUTING
]

export function compare(simulated: Report, real: Report, routing: 'real' | 'modelled'): Compared[] {
  const tolerances = routing === 'real' ? BY_REAL_ROUTING : BY_MODELLED_ROUTING
  return [...new Set([...Object.keys(simulated.figures), ...Object.keys(real.figures)])].map((figure) => {
    const [left, right] = [simulated.figures[figure] ?? NaN, real.figures[figure] ?? NaN]
    const { factor } = tolerances.find((each) => each.figure.test(figure))!
    return {
      figure,
      simulated: left,
      real: right,
      factor,
      isWithin: factor === undefined || isOfSize(left, right, factor)
    }
  })
}

/** A figure that one side lacks is of no size. */
function isOfSize(left: number, right: number, factor: number): boolean {
  return left === right || (left <= factor * right && right <= factor * left)
}

/** Lines of Markdown, one for each figure. */
export function tableOf(what: string, real: Report, simulated: ReadonlyMap<'real' | 'modelled', Report>): string {
  const [modelled, routed] = [simulated.get('modelled')!, simulated.get('real')!]
  const figures = [...new Set([real, modelled, routed].flatMap(({ figures }) => Object.keys(figures)))]
  const lines = figures.map((figure) => {
    const cells = [real, routed, modelled].map((report) => report.figures[figure] ?? '-')
    return `| ${[figure, ...cells].join(' | ')} |`
  })
  const head = ['', what, '', '| figure | real nodes | simulated, real look-ups | simulated, modelled look-ups |']
  return `${[...head, '|---|---|---|---|', ...lines].join('\n')}\n`
}
