import { html, useEffect, useState } from '../lib/html.ts'
import { getResponse } from '../lib/http.ts'
import { createStore, useStore } from '../lib/store.ts'
import { short } from '../lib/words.ts'
import { Card } from '../parts/basics.ts'
import { Graph } from '../parts/graph.ts'
import { latest, lineOf, SERIES, withReading, type Reading, type Series } from './history.ts'
import { parseMetrics } from './metrics-text.ts'

const EVERY_MS = 5_000
/** A line needs two readings, and that of a counter three: the first ones come sooner. */
const SOON_MS = 1_000

/** Kept while the page is open, so a view that is opened again goes on. */
const history = createStore<readonly Reading[]>([])

/** Reads while the view is shown and the tab is seen. */
function useReadings(): Error | undefined {
  const [error, setError] = useState<Error>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isShown = true
    const read = async () => {
      try {
        if (!document.hidden) {
          const text = await (await getResponse('/metrics')).text()
          history.set((known) => withReading(known, parseMetrics(text), Date.now()))
        }
        setError(undefined)
      } catch (trouble) {
        setError(trouble as Error)
      }
      if (isShown) timer = setTimeout(() => void read(), history.get().length < 3 ? SOON_MS : EVERY_MS)
    }
    void read()
    return () => {
      isShown = false
      clearTimeout(timer)
    }
  }, [])
  return error
}

export function Traffic() {
  const error = useReadings()
  const readings = useStore(history)
  return html`
    <${Card} title="Traffic">
      ${error && html`<p class="quiet">${error.message}</p>`}
      <div class="graphs">
        ${SERIES.map((series) => html`<${Line} key=${series.id} series=${series} history=${readings} />`)}
      </div>
      <p class="hint">
        Read every ${EVERY_MS / 1000} seconds while this view is open. <code>/metrics</code> has all of it for
        Prometheus.
      </p>
    <//>
  `
}

function Line({ series, history: readings }: { series: Series; history: readonly Reading[] }) {
  const { title, unit = '' } = series
  const { times, values } = lineOf(readings, series)
  const now = latest(values)
  const text = now === undefined ? 'no reading yet' : `${short(now)}${unit}`
  return html`
    <div class="graph-frame">
      <div class="row spread">
        <h3>${title}</h3>
        <span class="number">${text}</span>
      </div>
      ${times.length < 2 ? html`<p class="quiet graph-wait">A line needs two readings.</p>` : html`<${Graph} times=${times} values=${values} unit=${unit} label=${`${title}: ${text} now`} />`}
    </div>
  `
}
