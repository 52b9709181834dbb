import type { DaemonEvent } from '../lib/api.ts'
import { events } from '../lib/events.ts'
import { h, html, useMemo, useNow, useState, useStore } from '../lib/html.ts'
import { relative, time } from '../lib/words.ts'
import { Button, Card, Empty, Page, When } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { TextField } from '../parts/fields.ts'
import { Icon, type IconName } from '../parts/icon.ts'
import { condensed, filtered, sentenceOf, TOPICS, topicOf, type Topic } from '../events/sentences.ts'

/** Lines that are drawn: more are kept, and found by the filter. */
const SHOWN = 100
const ALL_TOPICS = Object.keys(TOPICS) as Topic[]

export function View() {
  const all = useStore(events)
  const [frozen, setFrozen] = useState<readonly DaemonEvent[]>()
  const [topics, setTopics] = useState(() => read(sessionStorage.getItem(KEY)))
  const [search, setSearch] = useState('')
  const [limit, setLimit] = useState(SHOWN)
  const shown = frozen ?? all
  const lines = useMemo(() => condensed(filtered(shown, { topics, search })), [shown, topics, search])
  const counts = useMemo(() => Object.groupBy(shown, topicOf), [shown])
  const unseen = frozen === undefined ? 0 : all.filter(({ id }) => id > (frozen[0]?.id ?? 0)).length
  const toggle = (topic: Topic) => {
    const next = toggled(topics, topic)
    sessionStorage.setItem(KEY, [...next].join(','))
    setTopics(next)
  }
  const pause = h(
    Button,
    { icon: frozen ? 'play' : 'pause', onClick: () => setFrozen(frozen ? undefined : all) },
    frozen ? (unseen > 0 ? `Go on (${unseen} new)` : 'Go on') : 'Pause'
  )
  return html`
    <${Page} title="Events" lead="What the daemon does, as it happens: the last 1,000 events." actions=${pause} />
    <div class="stack">
      <${Card}>
        <div class="stack">
          <div class="chips" role="group" aria-label="Topics">
            ${ALL_TOPICS.map(
              (topic) =>
                html`<button
                  key=${topic}
                  type="button"
                  class="chip"
                  aria-pressed=${String(topics.has(topic))}
                  onClick=${() => toggle(topic)}
                >
                  ${TOPICS[topic]} <span class="quiet">${counts[topic]?.length ?? 0}</span>
                </button>`
            )}
          </div>
          ${h(TextField, {
            label: 'Filter',
            type: 'search',
            value: search,
            placeholder: 'alice, failed, pulse',
            onInput: setSearch
          })}
        </div>
      <//>
      <${Card}>
        ${
          lines.length === 0
            ? html`<${Empty} icon="events" title=${all.length === 0 ? 'No events yet' : 'No event fits'}>
                ${all.length === 0 ? 'They appear here as they happen.' : 'Choose more topics, or another word.'}
              <//>`
            : html`<ol class="events" aria-label="Events, newest first">
                ${lines.slice(0, limit).map((event) => h(Line, { key: event.id, event }))}
              </ol>`
        }
        ${
          lines.length > limit &&
          html`<div class="card-foot">
            ${h(Button, { kind: 'small', onClick: () => setLimit(limit + SHOWN) }, 'Show more')}
          </div>`
        }
      <//>
    </div>
  `
}

const ICONS: Readonly<Record<Topic, IconName>> = {
  name: 'names',
  task: 'tasks',
  peer: 'network',
  record: 'seed',
  beacon: 'auto',
  other: 'info'
}
const MARKS: Readonly<Record<string, IconName>> = { good: 'check', warn: 'warn', bad: 'bad' }

function Line({ event }: { event: DaemonEvent }) {
  const now = useNow(30_000)
  const { text, tone, href } = sentenceOf(event)
  const told = h(Told, { text })
  const atMs = Date.parse(event.at)
  return html`
    <li class="event ${tone}">
      <span class="event-mark"><${Icon} name=${MARKS[tone] ?? ICONS[topicOf(event)]} /></span>
      <p>${href === undefined ? told : html`<a href=${href}>${told}</a>`}</p>
      <span class="quiet event-time">${h(When, { at: event.at }, time(atMs))} <span>${relative(atMs, now)}</span></span>
    </li>
  `
}

/** Where the tab keeps the topics that were chosen. */
const KEY = 'chronym-event-topics'

/** Without the topic where it was there, with it where it was not. */
export const toggled = (topics: ReadonlySet<Topic>, topic: Topic): Set<Topic> =>
  new Set(topics.has(topic) ? [...topics].filter((each) => each !== topic) : [...topics, topic])

/** What was chosen last in this tab. At first all but pulses, which say nothing that the network's state does not. */
export const read = (text: string | null): Set<Topic> =>
  new Set(text === null ? ALL_TOPICS.filter((topic) => topic !== 'beacon') : text.split(',').filter(isTopic))

const isTopic = (text: string): text is Topic => text in TOPICS
