import type { Explanation } from '../lib/api.ts'
import { html, type Children } from '../lib/html.ts'
import { useNow } from '../lib/store.ts'
import { dateTime, ends, relative } from '../lib/words.ts'
import { Badge, Facts, Hash, Notice, When } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { Pin } from './pin.ts'
import { CONFIDENCE, partsOf, STATES } from './words.ts'

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
