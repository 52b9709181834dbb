import uPlot from 'uplot'
import { html, useEffect, useRef } from '../lib/html.ts'
import { short, time } from '../lib/words.ts'
import { tickLabels, WHOLE_STEPS } from './ticks.ts'

const HEIGHT = 130

/** A colour of the style sheet as a canvas takes it; `alpha` 0 to 1. */
function colour(node, name, alpha = 1) {
  node.style.color = `var(${name})`
  const channels = getComputedStyle(node)
    .color.match(/[\d.]+/g)
    .slice(0, 3)
  node.style.color = ''
  return `rgb(${channels.join(' ')} / ${alpha})`
}

/**
 * A line over time. `times`: seconds since 1970, increasing; `values`: numbers or null. `label` says in words what is
 * seen: it is all that a screen reader gets. Without a `unit` it counts. `format`: a value as text.
 */
export function Graph({ times, values, label, unit = '', height = HEIGHT, format = short }) {
  const frame = useRef()
  const plot = useRef()
  useEffect(() => {
    const draw = () => {
      plot.current?.destroy()
      const of = (name, alpha) => colour(frame.current, name, alpha)
      const axis = { stroke: of('--quiet'), grid: { stroke: of('--line'), width: 1 }, ticks: { show: false } }
      plot.current = new uPlot(
        {
          width: frame.current.clientWidth,
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
        [times, values],
        frame.current
      )
    }
    draw()
    const size = new ResizeObserver(() => {
      const width = frame.current?.clientWidth
      if (width > 0 && width !== plot.current.width) plot.current.setSize({ width, height })
    })
    size.observe(frame.current)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', draw)
    addEventListener('chronym:theme', draw)
    return () => {
      size.disconnect()
      scheme.removeEventListener('change', draw)
      removeEventListener('chronym:theme', draw)
      plot.current.destroy()
      plot.current = undefined
    }
  }, [height, unit])
  useEffect(() => plot.current?.setData([times, values]), [times, values])
  return html`<div class="graph" role="img" aria-label=${label} ref=${frame}></div>`
}
