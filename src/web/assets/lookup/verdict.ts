import type { Explanation } from '../lib/api.ts'
import { h, html, useNow, type Children } from '../lib/html.ts'
import { remove } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { dateTime, ends, relative } from '../lib/words.ts'
import { toast } from '../parts/act.ts'
import { Badge, Button, facts, Hash, Notice, When } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { ask } from '../parts/dialog.ts'
import { Icon, type IconName } from '../parts/icon.ts'
import { CONFIDENCE, partsOf, STATES, stepsOf, type Step } from './words.ts'

const sentence = (text: string) =>
  partsOf(text).map(({ text: words = '', time, key }) =>
    time !== undefined
      ? h(When, { at: time })
      : key !== undefined
        ? html`<code title=${key}>${ends(key)}</code>`
        : h(Told, { text: words })
  )

const WARNING = 'Warning: '

interface VerdictProps {
  readonly asked: string
  readonly explanation: Explanation
  readonly actions: Children
}

/** The answer, before its reasons. */
export function Verdict({ asked, explanation, actions }: VerdictProps) {
  const { name, state, owner, lease, resolves, error, pin, verdict, notes, rule } = explanation
  const [word, tone] = STATES[state]
  const warnings = notes.filter((note) => note.startsWith(WARNING))
  const others = notes.filter((note) => !note.startsWith(WARNING))
  return html`
    <section class="card verdict" aria-labelledby="verdict-title">
      <div class="row card-head">
        <h2 id="verdict-title">${asked}</h2>
        <${Badge} tone=${tone}>${word}<//>
        ${resolves !== null && html`<${Badge} tone=${CONFIDENCE[resolves][1]}>resolves: ${CONFIDENCE[resolves][0]}<//>`}
        <div class="actions">${actions}</div>
      </div>
      <p class="verdict-text">${sentence(verdict)}</p>
      <div class="stack">
        ${warnings.map((note) => h(Notice, { tone: 'warn', key: note }, sentence(note.slice(WARNING.length))))}
        ${
          error !== null &&
          rule !== 'check-code' &&
          html`<p class="quiet">${error.message} (<a href="/errors/${error.code}">${error.code}</a>)</p>`
        }
        ${facts([
          owner !== null && ['Owner', h(Hash, { text: owner, what: "owner's public key" })],
          lease !== null && ['Lease', h(Lease, lease)],
          pin !== null && ['Remembered', h(Pin, { pin, name })]
        ])}
        ${
          others.length > 0 &&
          html`<ul class="notes">
            ${others.map((note) => html`<li key=${note}>${sentence(note)}</li>`)}
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
    ${' '}<${When} at=${start} />${isOver && html`; grace until <${When} at=${graceEnd} />`}
  `
}

interface PinProps {
  readonly pin: NonNullable<Explanation['pin']>
  readonly name: string
}

/** The owner that this daemon has seen as settled, and forgetting it. */
function Pin({ pin: { owner, state, since, until }, name }: PinProps) {
  const disabled = !useMay('admin')
  const isFirm = state === 'firm'
  const button = { kind: 'small', disabled, label: `Forget the owner of ${name}`, onClick: () => forget(name) }
  return html`
    <span class="row">
      <${Badge} tone=${isFirm ? 'good' : 'quiet'}>${isFirm ? 'pinned' : 'seen once'}<//>
      <span>
        <code title=${owner}>${ends(owner)}</code> since <${When} at=${since} />, until ${' '}<${When} at=${until} />
      </span>
      ${h(Button, button, 'Forget')}
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

const ICONS: Readonly<Partial<Record<Step['tone'], IconName>>> = { good: 'check', warn: 'warn', bad: 'bad' }

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
