import { html } from '../lib/html.ts'
import { useNow } from '../lib/store.ts'
import { relative, time } from '../lib/words.ts'
import { When } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { Icon } from '../parts/icon.ts'
import { sentenceOf, topicOf } from './sentences.ts'

const ICONS = { name: 'names', task: 'tasks', peer: 'network', record: 'seed', beacon: 'auto', other: 'info' }
const MARKS = { good: 'check', warn: 'warn', bad: 'bad' }

export function Line({ event }) {
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
