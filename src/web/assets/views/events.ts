import { condensed, filtered, sentenceOf, type Topic, topicOf, TOPICS } from '../events/sentences.ts'
import type { DaemonEvent } from '../lib/api.ts'
import { events } from '../lib/events.ts'
import { html, useMemo, useNow, useState, useStore } from '../lib/html.ts'
import type { View } from '../lib/router.ts'
import { relative, time } from '../lib/words.ts'
import { Button, Card, Empty, Page, When } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { TextField } from '../parts/fields.ts'
import { Icon, type IconName } from '../parts/icon.ts'

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

const ICONS: Readonly<Record<Topic, IconName>> = {
  name: 'names',
  task: 'tasks',
  peer: 'network',
  record: 'seed',
  beacon: 'auto',
  other: 'info'
}
const MARKS: Readonly<Record<string, IconName>> = { good: 'check', warn: 'warn', bad: 'bad' }

export function Line({ event }: { event: DaemonEvent }) {
  const now = useNow(30_000)
  const { text, tone, href } = sentenceOf(event)
  const told = html`<${Told} text=${text} />`
  const atMs = Date.parse(event.at)
  return html`
    <li class="event ${tone}">
      <span class="event-mark"><${Icon} name=${MARKS[tone] ?? ICONS[topicOf(event)]} /></span>
      <p>${href === undefined ? told : html`<a href=${href}>${told}</a>`}</p>
      <span class="quiet event-time"
        ><${When} at=${event.at}>${time(atMs)}<//> <span>${relative(atMs, now)}</span></span
      >
    </li>
  `
}

const KEY = 'chronym-event-topics'
/** Pulses say nothing that the state of the network does not. */
const FIRST = (Object.keys(TOPICS) as Topic[]).filter((topic) => topic !== 'beacon')

/** Without the topic where it was there, with it where it was not. */
export const toggled = (topics: ReadonlySet<Topic>, topic: Topic): Set<Topic> =>
  new Set(topics.has(topic) ? [...topics].filter((each) => each !== topic) : [...topics, topic])

/** What was chosen last in this tab; whatever is no topic is left out. */
export function read(text: string | null): Set<Topic> {
  if (text === null) return new Set(FIRST)
  return new Set(text.split(',').filter((topic): topic is Topic => topic in TOPICS))
}

/** Kept while the tab is. */
export function useFilter(): readonly [topics: Set<Topic>, setTopics: (next: Set<Topic>) => void] {
  const [topics, setTopics] = useState(() => read(sessionStorage.getItem(KEY)))
  return [
    topics,
    (next) => {
      sessionStorage.setItem(KEY, [...next].join(','))
      setTopics(next)
    }
  ]
}
