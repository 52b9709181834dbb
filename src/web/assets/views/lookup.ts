import type { Explanation } from '../lib/api.ts'
import { h, html, useNow, useState, type Children } from '../lib/html.ts'
import { Problem, reasonOf, remove } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { go, to, type ViewProps } from '../lib/router.ts'
import { useMay } from '../lib/session.ts'
import { dateTime, ends, relative } from '../lib/words.ts'
import { Peers, Picture } from '../lookup/picture.ts'
import { Own, Record, useReveal } from '../lookup/record.ts'
import { VerifyHere } from '../lookup/verify-here.ts'
import { CONFIDENCE, isDid, partsOf, STATES, stepsOf, type Step } from '../lookup/words.ts'
import { askedName, suffixOf } from '../names/words.ts'
import { toast } from '../parts/act.ts'
import { Badge, Button, Card, Empty, facts, Hash, LinkButton, Notice, Page, waiting, When } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { ask } from '../parts/dialog.ts'
import { AskForm } from '../parts/fields.ts'
import { Icon, type IconName } from '../parts/icon.ts'

const LEAD = 'Who owns a name, what it holds, and why this daemon believes that.'
const HINT = 'Looking a name up shows your interest to peers. To claim a free name, register it directly.'

export function View({ params: { name } }: ViewProps) {
  const path = name === undefined ? null : (`/api/explain/${encodeURIComponent(name)}` as const)
  const { data, error, isLoading } = useResource(path, { every: Infinity })
  const zone = useResource('/api/dns', { every: Infinity }).data?.zone
  const ask = (text: string) => {
    if (text === '') throw new Error('Type a name such as alice.chronym, or a DID.')
    go(isDid(text) ? to('identities', text) : to('lookup', askedName(text, suffixOf(zone))))
  }
  return html`
    <${Page} title="Look up" lead=${LEAD} />
    <div class="stack">
      <${Card}>
        ${h(AskForm, {
          label: 'Name or DID',
          hint: HINT,
          placeholder: 'alice.chronym',
          start: name,
          button: 'Look up',
          isBusy: isLoading,
          ask
        })}
      <//>
      ${
        name === undefined || path === null
          ? html`<${Empty} icon="lookup" title="Why do you believe that?">
              <p>Ask for a name. You see the peers around it, who said what, and the rule that decided.</p>
            <//>`
          : data !== undefined
            ? h(Explained, { asked: name, explanation: data, error, path, key: name })
            : error !== undefined
              ? trouble(name, error, path)
              : waiting(`Asking the peers around ${name}…`)
      }
    </div>
  `
}

interface ExplainedProps {
  /** The name, perhaps with a check code, which `explanation.name` is without. */
  readonly asked: string
  readonly explanation: Explanation
  readonly error: Error | undefined
  readonly path: string
}

function Explained({ asked, explanation, error, path }: ExplainedProps) {
  const [marked, onMark] = useState<number>()
  const { name, resolves, own } = explanation
  const reveal = useReveal(resolves === null ? null : asked)
  const actions = h(
    Button,
    { kind: 'small', icon: 'renew', onClick: () => refresh(path, `/api/resolve/${asked}`) },
    'Ask again'
  )
  return html`
    ${error && html`<${Notice} tone="warn" title="This answer is from before">${error.message}<//>`}
    ${h(Verdict, { asked, explanation, actions })}
    <${Card} title="The peers around the name">
      <div class="picture-and-steps">${h(Picture, { explanation, marked, onMark })} ${h(Steps, { explanation })}</div>
      ${h(Peers, { explanation, marked, onMark })}
    <//>
    ${own && h(Own, { own, name })} ${resolves !== null && h(Record, { reveal, name })}
    ${resolves !== null && h(VerifyHere, { reveal: reveal.data, name: asked, key: JSON.stringify(reveal.data) })}
  `
}

/** What is not a name of this network, and a network that does not answer. */
function trouble(name: string, error: Error, path: string) {
  const code = error instanceof Problem ? error.code : undefined
  const tone = code?.startsWith('SVC-NAM') ? 'bad' : 'warn'
  const actions = [
    h(Button, { kind: 'small', onClick: () => refresh(path) }, 'Try again'),
    code !== undefined && h(LinkButton, { kind: 'small', href: `/errors/${code}` }, `What ${code} means`)
  ]
  return h(Notice, { tone, title: `${name} cannot be explained`, actions }, reasonOf(error))
}

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
function Verdict({ asked, explanation, actions }: VerdictProps) {
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
const Steps = ({ explanation }: { explanation: Explanation }) => html`
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
