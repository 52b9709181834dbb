/** Small parts that every view is made of. */
import { type Children, html, useState } from '../lib/html.ts'
import type { Read } from '../lib/resource.ts'
import { dateTime, ends } from '../lib/words.ts'
import { useAct } from './act.ts'
import { Icon, type IconName } from './icon.ts'

export type Tone = '' | 'good' | 'warn' | 'bad' | 'accent' | 'quiet'
/** Goes to the element. */
type Rest = Readonly<Record<string, unknown>>

export const Badge = ({ tone = '', children, ...rest }: { tone?: Tone; children?: Children } & Rest) =>
  html`<span class="badge ${tone}" ...${rest}>${children}</span>`

interface PageProps {
  readonly title: string
  /** A sentence below the title. */
  readonly lead?: string
  /** Buttons beside it. */
  readonly actions?: Children
  readonly back?: { readonly href: string; readonly text: string }
  readonly children?: Children
}

/** The head of a view. */
export const Page = ({ title, lead, actions, back, children }: PageProps) => html`
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

interface CardProps {
  readonly title?: string
  readonly actions?: Children
  readonly tone?: Tone
  /** `wide` takes all columns of a `div.grid`. */
  readonly class?: string
  readonly children?: Children
}

/** A section with a heading. */
export function Card({ title, actions, tone = '', class: name = '', children }: CardProps) {
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

interface ButtonProps {
  /** Classes: `main`, `danger`, `plain` (no frame), `small`. */
  readonly kind?: string
  readonly icon?: IconName
  /** What a screen reader says where the text alone is not enough. */
  readonly label?: string
  /** While a promise is pending, the button waits; an error becomes a toast. */
  readonly onClick?: (event: MouseEvent) => unknown
  readonly type?: 'button' | 'submit'
  readonly disabled?: boolean
  readonly busy?: boolean
  readonly children?: Children
}

export function Button({
  kind = '',
  icon,
  label,
  onClick,
  type = 'button',
  disabled,
  busy,
  children,
  ...rest
}: ButtonProps & Rest) {
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
      onClick=${onClick && ((event: MouseEvent) => !waits && run(() => onClick(event)))}
      ...${rest}
    >
      ${icon && html`<${Icon} name=${icon} />`}${children !== undefined && html`<span>${children}</span>`}
    </button>
  `
}

export const LinkButton = ({
  kind = '',
  icon,
  href,
  label,
  children,
  ...rest
}: Pick<ButtonProps, 'kind' | 'icon' | 'label' | 'children'> & { href: string } & Rest) => html`
  <a class="button ${kind}" href=${href} aria-label=${label} ...${rest}>
    ${icon && html`<${Icon} name=${icon} />`}<span>${children}</span>
  </a>
`

/** What a view shows where there is nothing yet: what it will show, and how to get there. */
export const Empty = ({
  icon = 'info',
  title,
  children
}: {
  icon?: IconName
  title: string
  children?: Children
}) => html`
  <div class="empty">
    <${Icon} name=${icon} />
    <p class="empty-title">${title}</p>
    ${children}
  </div>
`

interface NoticeProps {
  readonly tone?: Tone
  readonly title?: string
  readonly children?: Children
  readonly actions?: Children
}

/** A message inside of a view. */
export const Notice = ({ tone = '', title, children, actions }: NoticeProps) => html`
  <div class="notice ${tone}" role=${tone === 'bad' ? 'alert' : undefined}>
    <${Icon} name=${tone === 'good' ? 'check' : tone === 'bad' ? 'bad' : tone === 'warn' ? 'warn' : 'info'} />
    <div class="notice-text">
      ${title && html`<strong>${title}</strong>`}
      <div>${children}</div>
    </div>
    ${actions && html`<div class="actions">${actions}</div>`}
  </div>
`

type Fact = readonly [term: string, value: Children]

/** False entries are left out. */
export const Facts = ({ facts }: { facts: readonly (Fact | false)[] }) => html`
  <dl class="facts">
    ${facts
      .filter((fact) => fact !== false)
      .map(
        ([term, fact]) =>
          html`<div key=${term}>
            <dt>${term}</dt>
            <dd>${fact}</dd>
          </div>`
      )}
  </dl>
`

export interface StatProps {
  readonly value: string
  readonly word: string
  readonly tone?: Tone
  readonly href?: string
}

/** A number that matters, with its word. */
export const Stat = ({ value, word, tone = '', href }: StatProps) => {
  const inner = html`<span class="stat-value ${tone}">${value}</span><span class="stat-word">${word}</span>`
  return href === undefined ? html`<div class="stat">${inner}</div>` : html`<a class="stat" href=${href}>${inner}</a>`
}

/** A long identifier: its ends, all of it on hover and by the button. */
export const Hash = ({
  text,
  head,
  tail,
  what = 'value'
}: {
  text: string
  head?: number
  tail?: number
  what?: string
}) => html`
  <span class="hash"><code title=${text}>${ends(text, head, tail)}</code><${Copy} text=${text} what=${what} /></span>
`

export function Copy({ text, what }: { text: string; what: string }) {
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
export const When = ({ at, children }: { at: string | number; children?: Children }) =>
  html`<time datetime=${new Date(at).toISOString()} title=${dateTime(at)}>${children}</time>`

/** `value` of `max`; `max` 0 for work of unknown length. */
export const Progress = ({ value, max, label }: { value?: number; max: number; label: string }) => html`
  <progress aria-label=${label} max=${max || 1} value=${max === 0 ? undefined : value}></progress>
`

export const Hidden = ({ children }: { children?: Children }) => html`<span class="hidden">${children}</span>`

/** Shown while something is read for the first time, and where that failed. Else its children. */
export function Loaded<Data>({ of, children }: { of: Read<Data>; children?: Children | ((data: Data) => Children) }) {
  if (of.data !== undefined)
    return typeof children === 'function' ? (children as (data: Data) => Children)(of.data) : children
  if (of.error !== undefined) return html`<${Notice} tone="bad" title="Not read">${of.error.message}<//>`
  return html`<p class="quiet loading" role="status">Reading…</p>`
}
