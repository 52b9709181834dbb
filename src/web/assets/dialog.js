import { $, element } from './elements.js'

/** Says in words what changes: screen readers do not read signs and colours. */
const change = (sign, word, className) => (line) =>
  element('li', { className }, `${sign} `, element('span', { className: 'hidden' }, `${word}: `), line)

/** If the list was redrawn, the button with the same label takes the focus. */
function giveBackFocus(opener) {
  if (opener === null || opener.isConnected) return
  const label = opener.getAttribute('aria-label')
  if (label !== null) document.querySelector(`[aria-label="${CSS.escape(label)}"]`)?.focus()
}

/**
 * Asks a person. Resolves to true for `yes` alone: Esc, the end of the session and a second question are a no.
 * `changes`: added and removed lines. The harmless answer has the focus, so Enter twice does no harm.
 */
export function ask({ title, lines, changes = { added: [], removed: [] }, yes, no }) {
  const dialog = $('question')
  if (dialog.open) return Promise.resolve(false)
  const opener = document.activeElement
  $('question-title').textContent = title
  $('question-text').replaceChildren(...lines.map((line) => element('p', {}, line)))
  const items = [
    ...changes.removed.map(change('−', 'removed', 'bad')),
    ...changes.added.map(change('+', 'added', 'good'))
  ]
  $('question-changes').replaceChildren(...items)
  $('question-changes').hidden = items.length === 0
  $('question-yes').textContent = yes
  $('question-no').textContent = no
  $('question-yes').onclick = () => dialog.close('yes')
  $('question-no').onclick = () => dialog.close('no')
  dialog.returnValue = 'no'
  return new Promise((resolve) => {
    dialog.onclose = () => {
      giveBackFocus(opener)
      resolve(dialog.returnValue === 'yes')
    }
    dialog.showModal()
    $('question-no').focus()
  })
}

export const withdrawQuestion = () => $('question').close('no')
