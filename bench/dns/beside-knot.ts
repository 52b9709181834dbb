/** Both servers by turns under dnsperf's load: CPU time a query, and answers a second. */
import { dnsperf } from '../../scripts/dns/dnsperf.ts'
import { measured, type Figure } from '../figure.ts'
import { say } from '../network/scratch.ts'
import { median, ratios, summary } from '../statistics.ts'
import { processorMicroseconds, type Measured, type Scene } from './scene.ts'

export interface Row {
  readonly id: string
  readonly transport: 'udp' | 'tcp'
  readonly dnssecOk: boolean
  /** Of Knot's. */
  readonly target: number
}

export const ROWS: readonly Row[] = [
  { id: 'udp', transport: 'udp', dnssecOk: false, target: 1 },
  { id: 'udp-signed', transport: 'udp', dnssecOk: true, target: 1 },
  { id: 'tcp', transport: 'tcp', dnssecOk: false, target: 0.5 }
]

interface Round {
  readonly cpu_us: number
  readonly rate: number
  readonly lost: number
}

const SIDES = ['knot', 'ours'] as const

export async function besideKnot(
  scene: Scene,
  { id, transport, dnssecOk, target }: Row,
  { rounds, seconds, clientCpu }: { rounds: number; seconds: number; clientCpu: number | null }
): Promise<Figure[]> {
  const measure = async (server: Measured, length: number): Promise<Round> => {
    const before = processorMicroseconds(server.pid)
    const load = await dnsperf(server, {
      questions: scene.questions,
      transport,
      dnssecOk,
      seconds: length,
      cpu: clientCpu
    })
    const cpu = processorMicroseconds(server.pid) - before
    return { cpu_us: cpu / load.answers, rate: load.rate, lost: load.lost }
  }
  const taken = { knot: [] as Round[], ours: [] as Round[] }
  // Ours packs its answers in the first one.
  for (const side of SIDES) await measure(scene[side], 1)
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed())
      taken[side].push(await measure(scene[side], seconds))
    const [knot, ours] = [taken.knot.at(-1)!, taken.ours.at(-1)!]
    say(
      `${id}, round ${round + 1}: Knot ${knot.cpu_us.toFixed(2)} µs, ${knot.rate.toFixed(0)}/s; ` +
        `ours ${ours.cpu_us.toFixed(2)} µs, ${ours.rate.toFixed(0)}/s`
    )
  }
  const of = (side: 'knot' | 'ours', figure: keyof Round): number[] => taken[side].map((each) => each[figure])
  const parts = (figure: 'cpu_us' | 'rate', unit: string) => ({
    [`ours ${unit}`]: median(of('ours', figure)),
    [`Knot ${unit}`]: median(of('knot', figure))
  })
  const lost = Math.max(...of('ours', 'lost'), ...of('knot', 'lost'))
  const known = { unit: 'ratio', target: { at_least: target } } as const
  return [
    measured(
      { ...known, name: `${id}: CPU time a query, Knot's to ours`, parts: parts('cpu_us', 'µs') },
      summary(ratios(of('knot', 'cpu_us'), of('ours', 'cpu_us')))
    ),
    measured(
      { ...known, name: `${id}: answers a second, ours to Knot's`, parts: { ...parts('rate', '/s'), lost } },
      summary(ratios(of('ours', 'rate'), of('knot', 'rate')))
    )
  ]
}
