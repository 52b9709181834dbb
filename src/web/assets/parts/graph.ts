import { html, useEffect, useRef } from '../lib/html.ts'
import { short, time } from '../lib/words.ts'
import type uPlot from 'uplot'

/** The labels of an axis. Pure. */

/** Steps of an axis that counts: there is no half a peer. */
export const WHOLE_STEPS = Array.from({ length: 10 }, (_each, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power)
).flat()

/** A label for each tick; null where it would repeat one: ticks may be closer than what their labels tell apart. */
export function tickLabels(ticks: readonly number[], format: (tick: number) => string): (string | null)[] {
  const labels = ticks.map(format)
  return labels.map((label, index) => (labels.indexOf(label) === index ? label : null))
}

const HEIGHT = 130

/** A colour of the style sheet as a canvas takes it; `alpha` 0 to 1. */
function colour(node: HTMLElement, name: string, alpha = 1): string {
  node.style.color = `var(${name})`
  const channels = (getComputedStyle(node).color.match(/[\d.]+/g) ?? []).slice(0, 3)
  node.style.color = ''
  return `rgb(${channels.join(' ')} / ${alpha})`
}

/** `times`: seconds since 1970, increasing. */
export interface Line {
  readonly times: readonly number[]
  readonly values: readonly (number | null)[]
}

interface GraphProps extends Line {
  /** What is seen, in words: it is all that a screen reader gets. */
  readonly label: string
  /** Without one it counts. */
  readonly unit?: string
  readonly height?: number
  readonly format?: (value: number) => string
}

/** A line over time. */
export function Graph({ times, values, label, unit = '', height = HEIGHT, format = short }: GraphProps) {
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const data = (): uPlot.AlignedData => [[...times], [...values]]
  useEffect(() => {
    const node = frame.current!
    let Plot: typeof uPlot | undefined
    const draw = () => {
      if (Plot === undefined) return
      plot.current?.destroy()
      const of = (name: string, alpha?: number) => colour(node, name, alpha)
      const axis = { stroke: of('--quiet'), grid: { stroke: of('--line'), width: 1 }, ticks: { show: false } }
      plot.current = new Plot(
        {
          width: node.clientWidth,
          height,
          legend: { show: false },
          cursor: { y: false, points: { size: 7 } },
          scales: { y: { range: (_plot, _low, high) => [0, (high || 1) * 1.15] } },
          axes: [
            {
              ...axis,
              font: '11px system-ui',
              size: 26,
              space: 80,
              values: (_plot, ticks) => tickLabels(ticks, (tick) => time(1000 * tick))
            },
            {
              ...axis,
              font: '11px system-ui',
              size: 56,
              ...(unit === '' && { incrs: WHOLE_STEPS }),
              values: (_plot, ticks) => tickLabels(ticks, (tick) => `${format(tick)}${unit}`)
            }
          ],
          series: [{}, { stroke: of('--accent'), width: 2, fill: of('--accent', 0.14), points: { show: false } }]
        },
        data(),
        node
      )
    }
    let isShown = true
    // Without it the label still says what there is to see.
    import('uplot').then(
      (module) => {
        if (isShown) Plot = module.default
        draw()
      },
      () => undefined
    )
    const size = new ResizeObserver(() => {
      const width = node.clientWidth
      if (width > 0 && width !== plot.current?.width) plot.current?.setSize({ width, height })
    })
    size.observe(node)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', draw)
    addEventListener('chronym:theme', draw)
    return () => {
      isShown = false
      size.disconnect()
      scheme.removeEventListener('change', draw)
      removeEventListener('chronym:theme', draw)
      plot.current?.destroy()
      plot.current = null
    }
  }, [height, unit])
  useEffect(() => plot.current?.setData(data()), [times, values])
  return html`<div class="graph" role="img" aria-label=${label} ref=${frame}></div>`
}
