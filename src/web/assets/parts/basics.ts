/** Small parts that every view is made of. */
import { html, useState } from '../lib/html.ts'
import { dateTime, ends } from '../lib/words.ts'
import { useAct } from './act.ts'
import { Icon } from './icon.ts'

/** `tone` everywhere: '', 'good', 'warn', 'bad', 'accent' or 'quiet'. */
export const Badge = ({ tone = '', children, ...rest }) =>
  html`<span class="badge ${tone}" ...${rest}>${children}</span>`

/** The head of a view. `lead`: a sentence below the title; `actions`: buttons beside it. */
export const Page = ({ title, lead, actions, back, children }) => html`
  <header class="page-head">
    ${back && html`<a class="back" href=${back.href}>← ${back.text}</a>`}
    <div class="row">
      <h1 tabindex="-1">${title}</h1>
      ${actions && html`<div class="actions">${actions}</div>`}
    </div>
    ${lead && html`<p class="quiet lead">${lead}</p>`}
  </header>
  ${children}
`

let serial = 0

/** A section with a heading. `class`: `wide` takes all columns of a `div.grid`. */
export function Card({ title, actions, tone = '', class: name = '', children }) {
  const [id] = useState(() => `card-${++serial}`)
  return html`
    <section class="card ${name} ${tone}" aria-labelledby=${title && id}>
      ${
        title &&
        html`<div class="row card-head">
          <h2 id=${id}>${title}</h2>
          ${actions && html`<div class="actions">${actions}</div>`}
        </div>`
      }
      ${children}
    </section>
  `
}

/**
 * `onClick` may be async: the button waits, and an error becomes a toast. `kind`: 'main', 'danger', 'plain' (no frame)
 * or ''. `label`: what a screen reader says where the text alone is not enough.
 */
export function Button({ kind = '', icon, label, onClick, type = 'button', disabled, busy, children, ...rest }) {
  const [run, isBusy] = useAct()
  const waits = isBusy || busy === true
  return html`
    <button
      type=${type}
      class="button ${kind}"
      aria-label=${label}
      title=${children === undefined ? label : undefined}
      aria-busy=${waits ? 'true' : undefined}
      disabled=${disabled}
      onClick=${onClick && ((event) => !waits && run(() => onClick(event)))}
      ...${rest}
    >
      ${icon && html`<${Icon} name=${icon} />`}${children !== undefined && html`<span>${children}</span>`}
    </button>
  `
}

export const LinkButton = ({ kind = '', icon, href, label, children, ...rest }) => html`
  <a class="button ${kind}" href=${href} aria-label=${label} ...${rest}>
    ${icon && html`<${Icon} name=${icon} />`}<span>${children}</span>
  </a>
`

/** What a view shows where there is nothing yet: what it will show, and how to get there. */
export const Empty = ({ icon = 'info', title, children }) => html`
  <div class="empty">
    <${Icon} name=${icon} />
    <p class="empty-title">${title}</p>
    ${children}
  </div>
`

/** A message inside of a view. */
export const Notice = ({ tone = '', title, children, actions }) => html`
  <div class="notice ${tone}" role=${tone === 'bad' ? 'alert' : undefined}>
    <${Icon} name=${tone === 'good' ? 'check' : tone === 'bad' ? 'bad' : tone === 'warn' ? 'warn' : 'info'} />
    <div class="notice-text">
      ${title && html`<strong>${title}</strong>`}
      <div>${children}</div>
    </div>
    ${actions && html`<div class="actions">${actions}</div>`}
  </div>
`

/** `facts`: [[term, value], ...]; null and false entries are left out. */
export const Facts = ({ facts }) => html`
  <dl class="facts">
    ${facts.filter(Boolean).map(
      ([term, fact]) =>
        html`<div key=${term}>
          <dt>${term}</dt>
          <dd>${fact}</dd>
        </div>`
    )}
  </dl>
`

/** A number that matters, with its word. */
export const Stat = ({ value, word, tone = '', href }) => {
  const inner = html`<span class="stat-value ${tone}">${value}</span><span class="stat-word">${word}</span>`
  return href === undefined ? html`<div class="stat">${inner}</div>` : html`<a class="stat" href=${href}>${inner}</a>`
}

/** A long identifier: its ends, all of it on hover and by the button. */
export const Hash = ({ text, head, tail, what = 'value' }) => html`
  <span class="hash"><code title=${text}>${ends(text, head, tail)}</code><${Copy} text=${text} what=${what} /></span>
`

export function Copy({ text, what }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), 1500)
  }
  return html`<${Button}
    kind="plain small"
    icon=${isDone ? 'check' : 'copy'}
    label=${isDone ? 'Copied' : `Copy the ${what}`}
    onClick=${copy}
  />`
}

/** A time in words; the exact one on hover. */
export const When = ({ at, children }) =>
  html`<time datetime=${new Date(at).toISOString()} title=${dateTime(at)}>${children}</time>`

/** `value` of `max`; `max` 0 for work of unknown length. */
export const Progress = ({ value, max, label }) => html`
  <progress aria-label=${label} max=${max || 1} value=${max === 0 ? undefined : value}></progress>
`

export const Hidden = ({ children }) => html`<span class="hidden">${children}</span>`

/** Shown while something is read for the first time, and where that failed. Else its children. */
export function Loaded({ of, children }) {
  if (of.data !== undefined) return typeof children === 'function' ? children(of.data) : children
  if (of.error !== undefined) return html`<${Notice} tone="bad" title="Not read">${of.error.message}<//>`
  return html`<p class="quiet loading" role="status">Reading…</p>`
}
