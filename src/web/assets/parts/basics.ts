/** Small parts that every view is made of. Those that are functions of typed values are called, not used in templates. */
import { h, html, useId, useState, type Children } from '../lib/html.ts'
import type { Read } from '../lib/resource.ts'
import { dateTime, ends } from '../lib/words.ts'
import { useAct } from './act.ts'
import { Icon, type IconName } from './icon.ts'

export type Tone = '' | 'good' | 'warn' | 'bad' | 'accent' | 'quiet'
/** Goes to the element. */
export type Rest = Readonly<Record<string, unknown>>

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
  const id = useId()
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
  readonly disabled?: boolean | undefined
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
  children
}: Pick<ButtonProps, 'kind' | 'icon' | 'label' | 'children'> & { href: string }) => html`
  <a class="button ${kind}" href=${href} aria-label=${label}>
    ${icon && html`<${Icon} name=${icon} />`}<span>${children}</span>
  </a>
`

/** What a view shows where there is nothing yet: what it will show, and how to get there. */
export const Empty = ({ icon, title, children }: { icon: IconName; title: string; children?: Children }) => html`
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

/** False entries are left out. */
export const facts = (all: readonly (readonly [term: string, value: Children] | false)[]) => html`
  <dl class="facts">
    ${all
      .filter((fact) => fact !== false)
      .map(
        ([term, value]) =>
          html`<div key=${term}>
            <dt>${term}</dt>
            <dd>${value}</dd>
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
export const stat = ({ value, word, tone = '', href }: StatProps) => {
  const inner = html`<span class="stat-value ${tone}">${value}</span><span class="stat-word">${word}</span>`
  return href === undefined ? html`<div class="stat">${inner}</div>` : html`<a class="stat" href=${href}>${inner}</a>`
}

/** Shown while something is read for the first time, and where that failed. Else what `show` makes of it. */
export function loaded<Data>({ data, error }: Read<Data>, show: (data: Data) => Children): Children {
  if (data !== undefined) return show(data)
  if (error !== undefined) return h(Notice, { tone: 'bad', title: 'Not read' }, error.message)
  return waiting('Reading…')
}

export const waiting = (text: string) => html`<p class="quiet loading" role="status">${text}</p>`

interface Copied {
  readonly text: string
  /** What the button copies. */
  readonly what: string
}

/** A long identifier: its ends, all of it on hover and by the button. */
export const Hash = ({ text, head, tail, what }: Copied & { head?: number; tail?: number }) => html`
  <span class="hash"><code title=${text}>${ends(text, head, tail)}</code><${Copy} text=${text} what=${what} /></span>
`

/** A text in full, with its button. */
export const Whole = ({ text, what }: Copied) =>
  html`<span class="hash whole"><code>${text}</code><${Copy} text=${text} what=${what} /></span>`

export function Copy({ text, what }: Copied) {
  const [isDone, setDone] = useState(false)
  const onClick = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), 1500)
  }
  const label = isDone ? 'Copied' : `Copy the ${what}`
  return h(Button, { kind: 'plain small', icon: isDone ? 'check' : 'copy', label, onClick })
}

/** Lines to copy. */
export const Lines = ({ text, label, what }: Copied & { label: string }) => html`
  <div class="json">
    <pre tabindex="0" role="group" aria-label=${label}>${text}</pre>
    <${Copy} text=${text} what=${what} />
  </div>
`

/** A time, in words where there are some; the exact one on hover. */
export const When = ({ at, children = dateTime(at) }: { at: string | number; children?: Children }) =>
  html`<time datetime=${new Date(at).toISOString()} title=${dateTime(at)}>${children}</time>`

/** `value` of `max`; `max` 0 for work of unknown length. */
export const Progress = ({ value, max, label }: { value?: number | undefined; max: number; label: string }) => html`
  <progress aria-label=${label} max=${max || 1} value=${max === 0 ? undefined : value}></progress>
`

export const Hidden = ({ children }: { children?: Children }) => html`<span class="hidden">${children}</span>`
