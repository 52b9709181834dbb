/** Names are asked for while a third of the nodes leaves, and while the rest is parted in two and heals. */
import { setTimeout as delay } from 'node:timers/promises'
import { say } from '../../../bench/network/scratch.ts'
import { outcomes, startAsking, type Asked } from './asking.ts'
import { isInAmerica, leaves, type Many } from './ground.ts'
import type { Mark } from './plot.ts'
import { startLoad } from './load.ts'

interface Phase {
  readonly what: string
  readonly outcomes: Record<string, number>
  /** Seconds from its beginning until ten answers in a row resolved; null where that never came. */
  readonly whole_after_seconds: number | null
  readonly busy: number
}

export interface Phases {
  readonly asked: readonly Asked[]
  readonly marks: readonly Mark[]
  readonly phases: readonly Phase[]
}

export async function runPhases(many: Many, { before, left, parted, healed }: Record<string, number>): Promise<Phases> {
  const { network, names, askers } = many
  const gone = new Set<number>()
  const all = [...network.nodes, ...askers]
  const place = (at: number): number => (at < network.nodes.length ? at : many.placeOfAsker(at - network.nodes.length))
  const groupOf = (at: number): string => (isInAmerica(place(at)) ? 'America' : 'Europe and Asia')
  const asking = startAsking(names, () =>
    all.flatMap((daemon, at) => (gone.has(at) ? [] : [{ daemon, group: groupOf(at) }]))
  )
  const busy = startLoad()
  const marks: Mark[] = []
  const phases: Phase[] = []
  const phase = async (what: string, seconds: number): Promise<void> => {
    say(`${what}, for ${seconds} s`)
    const began = asking.now()
    marks.push({ second: began, what })
    await delay(1_000 * seconds)
    const asked = asking.asked.filter(({ second }) => second >= began)
    phases.push({ what, outcomes: outcomes(asked), whole_after_seconds: wholeAfter(asked, began), busy: busy() })
  }
  await phase('all nodes', before!)
  for (const [at, node] of network.nodes.entries()) {
    if (!leaves(at)) continue
    gone.add(at)
    await node.signal('SIGKILL')
  }
  await phase('a third left', left!)
  const places = all.map((_, at) => place(at)).filter(isInAmerica)
  await network.emulator.command(`cut ${places.join(' ')}`)
  await phase('parted', parted!)
  await network.emulator.command('heal')
  await phase('healed', healed!)
  await asking.stop()
  return { asked: asking.asked, marks, phases }
}

const IN_A_ROW = 10

function wholeAfter(asked: readonly Asked[], began: number): number | null {
  let first: number | null = null
  let row = 0
  for (const { second, outcome } of asked) {
    if (outcome === 'resolved') {
      first ??= second
      if (++row === IN_A_ROW) return Math.round(first - began)
    } else [first, row] = [null, 0]
  }
  return null
}
