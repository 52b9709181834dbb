import type { Explanation } from '../lib/api.ts'
import { type Children, html, useNow } from '../lib/html.ts'
import { remove } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { dateTime, ends, relative } from '../lib/words.ts'
import { CONFIDENCE, partsOf, STATES, type Step, stepsOf } from './words.ts'
import { toast } from '../parts/act.ts'
import { Badge, Button, Facts, Hash, Notice, When } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { ask } from '../parts/dialog.ts'
import { Icon, type IconName } from '../parts/icon.ts'

const Sentence = ({ sentence }: { sentence: string }) =>
  partsOf(sentence).map(({ text, time, key }) =>
    time !== undefined
      ? html`<${When} at=${time}>${dateTime(time)}<//>`
      : key !== undefined
        ? html`<code title=${key}>${ends(key)}</code>`
        : html`<${Told} text=${text ?? ''} />`
  )

/** The answer, before its reasons. */
export function Verdict({
  asked,
  explanation,
  actions
}: {
  asked: string
  explanation: Explanation
  actions: Children
}) {
  const { name, state, owner, lease, resolves, error, pin, verdict, notes, rule } = explanation
  const [word, tone] = STATES[state]
  const warnings = notes.filter((note) => note.startsWith('Warning: '))
  const others = notes.filter((note) => !note.startsWith('Warning: '))
  return html`
    <section class="card verdict" aria-labelledby="verdict-title">
      <div class="row card-head">
        <h2 id="verdict-title">${asked}</h2>
        <${Badge} tone=${tone}>${word}<//>
        ${resolves !== null && html`<${Badge} tone=${CONFIDENCE[resolves][1]}>resolves: ${CONFIDENCE[resolves][0]}<//>`}
        <div class="actions">${actions}</div>
      </div>
      <p class="verdict-text"><${Sentence} sentence=${verdict} /></p>
      <div class="stack">
        ${warnings.map(
          (note) =>
            html`<${Notice} tone="warn" key=${note}><${Sentence} sentence=${note.slice('Warning: '.length)} /><//>`
        )}
        ${error !== null && rule !== 'check-code' && html`<p class="quiet">${error.message} (<a href="/errors/${error.code}">${error.code}</a>)</p>`}
        <${Facts}
          facts=${[
            owner !== null && ['Owner', html`<${Hash} text=${owner} what="owner's public key" />`],
            lease !== null && ['Lease', html`<${Lease} ...${lease} />`],
            pin !== null && ['Remembered', html`<${Pin} pin=${pin} name=${name} />`]
          ]}
        />
        ${
          others.length > 0 &&
          html`<ul class="notes">
            ${others.map((note) => html`<li key=${note}><${Sentence} sentence=${note} /></li>`)}
          </ul>`
        }
      </div>
    </section>
  `
}

function Lease({ start, end, grace_end: graceEnd }: NonNullable<Explanation['lease']>) {
  const now = useNow(30_000)
  const isOver = Date.parse(end) <= now
  return html`
    ${isOver ? 'ended' : 'ends'} <${When} at=${end}>${relative(Date.parse(end), now)}<//> (${dateTime(end)}), since
    ${' '}<${When} at=${start}>${dateTime(start)}<//>${
      isOver && html`; grace until <${When} at=${graceEnd}>${dateTime(graceEnd)}<//>`
    }
  `
}

/** The owner that this daemon has seen as settled, and forgetting it. */
export function Pin({
  pin: { owner, state, since, until },
  name
}: {
  pin: NonNullable<Explanation['pin']>
  name: string
}) {
  const mayForget = useMay('admin')
  return html`
    <span class="row">
      <${Badge} tone=${state === 'firm' ? 'good' : 'quiet'}>${state === 'firm' ? 'pinned' : 'seen once'}<//>
      <span>
        <code title=${owner}>${ends(owner)}</code> since <${When} at=${since}>${dateTime(since)}<//>, until ${' '}
        <${When} at=${until}>${dateTime(until)}<//>
      </span>
      <${Button}
        kind="small"
        disabled=${!mayForget}
        label=${`Forget the owner of ${name}`}
        onClick=${() => forget(name)}
        >Forget<//
      >
    </span>
  `
}

async function forget(name: string): Promise<void> {
  const isSure = await ask({
    title: `Forget the owner of ${name}?`,
    lines: [
      'The next look decides alone who owns the name: this daemon believes that owner, and remembers it.',
      'Do this only where you know that the remembered owner is wrong.'
    ],
    yes: 'Forget it',
    no: 'Keep it',
    isDanger: true
  })
  if (!isSure) return
  await remove(`/api/pins/${encodeURIComponent(name)}`)
  await refresh(`/api/explain/${encodeURIComponent(name)}`)
  toast(`The owner of ${name} is forgotten.`)
}

const ICONS: Readonly<Partial<Record<Step['tone'], IconName>>> = {
  good: 'check',
  warn: 'warn',
  bad: 'bad',
  quiet: 'info'
}

/** From the question to the verdict, in order. */
export const Steps = ({ explanation }: { explanation: Explanation }) => html`
  <ol class="reasons" aria-label="How this daemon came to its verdict">
    ${stepsOf(explanation).map(
      ({ title, text, tone }) =>
        html`<li class=${tone} key=${title}>
          <span class="step-mark"><${Icon} name=${ICONS[tone] ?? 'info'} /></span>
          <div>
            <strong>${title}</strong>
            <p><${Told} text=${text} /></p>
          </div>
        </li>`
    )}
  </ol>
`
