import type { View } from '../lib/view.ts'
import type { DaemonEvent } from '../lib/api.ts'
import { html, useMemo, useState } from '../lib/html.ts'
import { events } from '../lib/events.ts'
import { useStore } from '../lib/store.ts'
import { Button, Card, Empty, Page } from '../parts/basics.ts'
import { TextField } from '../parts/fields.ts'
import { toggled, useFilter } from '../events/filter.ts'
import { Line } from '../events/line.ts'
import { condensed, filtered, TOPICS, topicOf, type Topic } from '../events/sentences.ts'

/** Lines that are drawn: more are kept, and found by the filter. */
const SHOWN = 100

function View() {
  const all = useStore(events)
  const [frozen, setFrozen] = useState<readonly DaemonEvent[]>()
  const [topics, setTopics] = useFilter()
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(SHOWN)
  const shown = frozen ?? all
  const lines = useMemo(() => condensed(filtered(shown, { topics, search })), [shown, topics, search])
  const counts = useMemo(() => {
    const found = new Map<Topic, number>()
    for (const event of shown) found.set(topicOf(event), (found.get(topicOf(event)) ?? 0) + 1)
    return found
  }, [shown])
  const waiting = frozen === undefined ? 0 : all.filter(({ id }) => id > (frozen[0]?.id ?? 0)).length
  const pause = html`
    <${Button} icon=${frozen ? 'play' : 'pause'} onClick=${() => setFrozen(frozen ? undefined : all)}>
      ${frozen ? (waiting > 0 ? `Go on (${waiting} new)` : 'Go on') : 'Pause'}
    <//>
  `
  return html`
    <${Page} title="Events" lead="What the daemon does, as it happens: the last 1,000 events." actions=${pause} />
    <div class="stack">
      <${Card}>
        <div class="stack">
          <div class="chips" role="group" aria-label="Topics">
            ${(Object.entries(TOPICS) as [Topic, string][]).map(
              ([topic, words]) =>
                html`<button
                  key=${topic}
                  type="button"
                  class="chip"
                  aria-pressed=${String(topics.has(topic))}
                  onClick=${() => setTopics(toggled(topics, topic))}
                >
                  ${words} <span class="quiet">${counts.get(topic) ?? 0}</span>
                </button>`
            )}
          </div>
          <${TextField}
            label="Filter"
            type="search"
            value=${search}
            placeholder="alice, failed, pulse"
            onInput=${setSearch}
          />
        </div>
      <//>
      <${Card}>
        ${
          lines.length === 0
            ? html`<${Empty} icon="events" title=${all.length === 0 ? 'No events yet' : 'No event fits'}>
                ${all.length === 0 ? 'They appear here as they happen.' : 'Choose more topics, or another word.'}
              <//>`
            : html`<ol class="events" aria-label="Events, newest first">
                ${lines.slice(0, limit).map((line) => html`<${Line} key=${line.id} event=${line} />`)}
              </ol>`
        }
        ${
          lines.length > limit &&
          html`<div class="card-foot">
            <${Button} kind="small" onClick=${() => setLimit(limit + SHOWN)}>Show more<//>
          </div>`
        }
      <//>
    </div>
  `
}

export const view: View = { path: '/events', title: 'Events', icon: 'events', View }
