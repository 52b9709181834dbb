import { html, useEffect, useLayoutEffect, useRef, useState } from '../lib/html.ts'
import { place } from '../lib/router.ts'
import { createStore, useStore } from '../lib/store.ts'
import { Hidden } from './basics.ts'

/** The question that is asked now, with `answer`. */
const question = createStore(undefined)

/**
 * Asks a person. Resolves to true for `yes` alone: Esc, the end of the session and a second question are a no.
 * `lines`: sentences. `changes`: added and removed lines. `isDanger`: something is lost. The harmless answer has the
 * focus, so Enter twice does no harm.
 */
export function ask(asked) {
  if (question.get() !== undefined) return Promise.resolve(false)
  return new Promise((resolve) =>
    question.set({
      ...asked,
      answer(isYes) {
        question.set(undefined)
        resolve(isYes)
      }
    })
  )
}

const withdrawQuestion = () => question.get()?.answer(false)

/**
 * A modal window. `onClose` is called for Esc, and when the page goes to another address. Gives the focus back to what
 * opened it.
 */
export function Modal({ title, onClose, describedBy, children, wide = false }) {
  const node = useRef()
  const opener = useRef()
  const [id] = useState(() => `dialog-${Math.random().toString(36).slice(2)}`)
  useLayoutEffect(() => {
    opener.current = document.activeElement
    const dialog = node.current
    dialog.showModal()
    dialog.querySelector('[data-focus]')?.focus()
    return () => {
      // While it is open, nothing behind it takes the focus.
      dialog.close()
      giveBackFocus(opener.current)
    }
  }, [])
  const close = useRef()
  close.current = onClose
  // Before the browser draws: the address may change at once.
  useLayoutEffect(() => {
    const { path } = place.get()
    return place.subscribe((now) => now.path !== path && close.current())
  }, [])
  return html`
    <dialog
      ref=${node}
      class=${wide ? 'wide-dialog' : ''}
      aria-labelledby=${id}
      aria-describedby=${describedBy}
      onCancel=${(event) => {
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

/** If the list was drawn again, the button with the same label takes the focus. */
function giveBackFocus(opener) {
  if (opener === null) return
  if (opener.isConnected) return opener.focus()
  const label = opener.getAttribute('aria-label')
  if (label !== null) document.querySelector(`[aria-label="${CSS.escape(label)}"]`)?.focus()
}

/** Added and removed lines; says in words what changes: screen readers do not read signs and colours. */
export function Changes({ changes: { added, removed }, label = 'Difference' }) {
  if (added.length + removed.length === 0) return null
  const line = (sign, word, tone) => (text) =>
    html`<li class=${tone}><span aria-hidden="true">${sign} </span><${Hidden}>${word}: <//>${text}</li>`
  return html`
    <ul class="changes" tabindex="0" aria-label=${label}>
      ${removed.map(line('−', 'removed', 'bad'))}${added.map(line('+', 'added', 'good'))}
    </ul>
  `
}

export function Questions() {
  const asked = useStore(question)
  useEffect(() => () => withdrawQuestion(), [])
  if (asked === undefined) return null
  const { title, lines = [], changes, yes, no, isDanger, answer } = asked
  return html`
    <${Modal} title=${title} describedBy="question-text" onClose=${() => answer(false)}>
      <div id="question-text">${lines.map((line) => html`<p>${line}</p>`)}</div>
      ${changes && html`<${Changes} changes=${changes} />`}
      <div class="answers">
        <button type="button" class="button" data-focus onClick=${() => answer(false)}>${no}</button>
        <button type="button" class="button ${isDanger ? 'danger' : 'main'}" onClick=${() => answer(true)}>
          ${yes}
        </button>
      </div>
    <//>
  `
}
