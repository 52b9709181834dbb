import {
  createStore,
  h,
  html,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useStore,
  type Children
} from '../lib/html.ts'
import { place } from '../lib/router.ts'
import type { Form } from './act.ts'
import { Button, Hidden } from './basics.ts'

/** Added and removed lines. */
export interface Difference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

export interface Question {
  readonly title: string
  /** Sentences. */
  readonly lines?: readonly string[]
  readonly changes?: Difference
  readonly yes: string
  readonly no: string
  /** Something is lost. */
  readonly isDanger?: boolean
}
export type Ask = (question: Question) => Promise<boolean>

/** The question that is asked now. */
const question = createStore<(Question & { answer: (isYes: boolean) => void }) | undefined>(undefined)

/**
 * Asks a person. Resolves to true for `yes` alone: Esc, the end of the session and a second question are a no. The
 * harmless answer has the focus, so Enter twice does no harm.
 */
export const ask: Ask = (asked) => {
  if (question.get() !== undefined) return Promise.resolve(false)
  return new Promise((resolve) =>
    question.set({
      ...asked,
      answer: (isYes) => {
        question.set(undefined)
        resolve(isYes)
      }
    })
  )
}

interface ModalProps {
  readonly title: string
  /** Called for Esc, and when the page goes to another address. */
  readonly onClose: () => void
  readonly describedBy?: string
  readonly wide?: boolean
  readonly children?: Children
}

/** A modal window. Gives the focus back to what opened it. */
export function Modal({ title, onClose, describedBy, wide = false, children }: ModalProps) {
  const node = useRef<HTMLDialogElement>(null)
  const opener = useRef<Element>(null)
  const id = useId()
  useLayoutEffect(() => {
    opener.current = document.activeElement
    const dialog = node.current!
    dialog.showModal()
    dialog.querySelector<HTMLElement>('[data-focus]')?.focus()
    return () => {
      // While it is open, nothing behind it takes the focus.
      dialog.close()
      giveBackFocus(opener.current)
    }
  }, [])
  const close = useRef(onClose)
  close.current = onClose
  // Before the browser draws: the address may change at once.
  useLayoutEffect(() => {
    const { path } = place.get()
    return place.subscribe((now) => {
      if (now.path !== path) close.current()
    })
  }, [])
  return html`
    <dialog
      ref=${node}
      class=${wide ? 'wide-dialog' : ''}
      aria-labelledby=${id}
      aria-describedby=${describedBy}
      onCancel=${(event: Event) => {
        if (event.target !== node.current) return
        event.preventDefault()
        onClose()
      }}
    >
      <h2 id=${id}>${title}</h2>
      ${children}
    </dialog>
  `
}

interface FormDialogProps extends Pick<ModalProps, 'title' | 'onClose' | 'wide' | 'children'> {
  readonly form: Form
  readonly yes: string
  readonly no?: string
  readonly disabled?: boolean
}

/** A modal window with a form, its button and one that closes it. */
export const FormDialog = ({ form, yes, no = 'Cancel', disabled, children, ...modal }: FormDialogProps) => html`
  <${Modal} ...${modal}>
    <form class="stack" onSubmit=${form.onSubmit}>
      ${children}
      <div class="answers">
        ${h(Button, { onClick: modal.onClose }, no)}
        ${h(Button, { type: 'submit', kind: 'main', busy: form.isBusy, disabled }, yes)}
      </div>
    </form>
  <//>
`

/** If the list was drawn again, the button with the same label takes the focus. */
function giveBackFocus(opener: Element | null): void {
  const label = opener?.getAttribute('aria-label')
  const heir = opener?.isConnected ? opener : label && document.querySelector(`[aria-label="${CSS.escape(label)}"]`)
  if (heir instanceof HTMLElement || heir instanceof SVGElement) heir.focus()
}

/** Added and removed lines; says in words what changes: screen readers do not read signs and colours. */
export function Changes({ changes, label = 'Difference' }: { changes: Difference; label?: string }) {
  const { added, removed } = changes
  if (added.length + removed.length === 0) return null
  const line = (sign: string, word: string, tone: string) => (text: string) =>
    html`<li class=${tone}><span aria-hidden="true">${sign} </span><${Hidden}>${word}: <//>${text}</li>`
  return html`
    <ul class="changes" tabindex="0" aria-label=${label}>
      ${removed.map(line('−', 'removed', 'bad'))}${added.map(line('+', 'added', 'good'))}
    </ul>
  `
}

export function Questions() {
  const asked = useStore(question)
  useEffect(() => () => question.get()?.answer(false), [])
  if (asked === undefined) return null
  const { title, lines = [], changes, yes, no, isDanger, answer } = asked
  return html`
    <${Modal} title=${title} describedBy="question-text" onClose=${() => answer(false)}>
      <div id="question-text">${lines.map((line) => html`<p>${line}</p>`)}</div>
      ${changes && h(Changes, { changes })}
      <div class="answers">
        <button type="button" class="button" data-focus onClick=${() => answer(false)}>${no}</button>
        <button type="button" class="button ${isDanger ? 'danger' : 'main'}" onClick=${() => answer(true)}>
          ${yes}
        </button>
      </div>
    <//>
  `
}
