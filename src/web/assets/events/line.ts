import type { DaemonEvent } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { useNow } from '../lib/store.ts'
import { relative, time } from '../lib/words.ts'
import { When } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { Icon, type IconName } from '../parts/icon.ts'
import { sentenceOf, topicOf, type Topic } from './sentences.ts'

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
