import { ask } from './dialog.js'
import { $, attempt, button, duration, element, show } from './elements.js'
import { get, post } from './http.js'
import { canonicalName, suggestedName, suffixOf } from './name-input.js'
import { costLine } from './questions.js'
import { startTask } from './task-acts.js'
import { refreshTasks } from './tasks.js'
import { editZone, hasUnsavedEdits, noteSerials } from './zone/editor.js'

let owned = []
/** Starts in progress: a second click starts nothing. */
const starting = new Set()

function lease({ state, lease_end: end }) {
  const left = (Date.parse(end) - Date.now()) / 1000
  if (state === 'live') return `ends in ${duration(left)}`
  if (state === 'contested' || state === 'lost') return state
  return state === 'grace' ? `lapsed ${duration(-left)} ago: renew now` : 'lapsed'
}

function renewal({ renewal: { state, due } }) {
  if (state === 'scheduled')
    return Date.parse(due) > Date.now()
      ? `by itself in ${duration((Date.parse(due) - Date.now()) / 1000)}`
      : 'by itself, now'
  return {
    running: 'under way',
    paused: 'paused',
    failed: 'failed; tried again',
    off: 'off',
    impossible: 'not possible'
  }[state]
}

function row(each) {
  const { name, state, serial, published_serial: published, warnings } = each
  const zone =
    serial === 0 ? 'none' : serial === published ? `live (${serial})` : `saved ${serial}, live ${published || 'none'}`
  return element(
    'tr',
    {},
    element('td', {}, name, ...warnings.map(({ message }) => element('div', { className: 'bad' }, message))),
    element(
      'td',
      { className: state === 'live' ? '' : 'bad', title: new Date(each.lease_end).toLocaleString() },
      lease(each)
    ),
    element('td', {}, renewal(each)),
    element(
      'td',
      {},
      zone,
      ...(hasUnsavedEdits(name) ? [element('div', { className: 'quiet' }, 'unsaved edits')] : [])
    ),
    element(
      'td',
      {},
      button('Edit zone', () => attempt(() => editZone(name)), `Edit the zone of ${name}`),
      ' ',
      button('Renew', () => attempt(() => begin('renew', name)), `Renew ${name}`)
    )
  )
}

export async function refreshNames() {
  const names = await get('/api/names')
  owned = names
  noteSerials(names)
  // Keeps the focus on the button that has it.
  const at = $('names').contains(document.activeElement) ? document.activeElement.ariaLabel : null
  $('names').replaceChildren(...names.map(row))
  if (at !== null) [...$('names').querySelectorAll('button')].find(({ ariaLabel }) => ariaLabel === at)?.focus()
  $('no-names').hidden = names.length > 0
}

/**
 * Starts a task, after a question where that costs much or gains little. Resolves to what the daemon says, undefined
 * where nothing was started.
 */
async function begin(kind, name) {
  const key = `${kind} ${name}`
  if (starting.has(key)) return undefined
  starting.add(key)
  try {
    const message = await startTask(
      { post, ask },
      kind,
      name,
      owned.find((each) => each.name === name)
    )
    await refreshTasks()
    return message
  } finally {
    starting.delete(key)
  }
}

/**
 * The name as it was entered, in its only spelling; undefined, with a hint on the page, where its suffix is missing.
 */
function enteredName() {
  const input = $('register-name')
  const name = canonicalName(input.value)
  input.value = name
  return suggest() ? undefined : name
}

function suggest() {
  const suggestion = suggestedName($('register-name').value, suffixOf(owned.map(({ name }) => name)))
  $('register-hint').hidden = suggestion === undefined
  if (suggestion !== undefined) {
    $('use-suggestion').textContent = suggestion
    $('use-suggestion').setAttribute('aria-label', `Use ${suggestion}`)
  }
  return suggestion !== undefined
}

export function wireRegister() {
  const output = $('register-output')
  const act = (work) =>
    attempt(async () => {
      show(output, '')
      const name = enteredName()
      if (name === undefined) return $('use-suggestion').focus()
      show(output, 'Measuring what it takes…')
      const said = await work(name)
      return said === undefined ? show(output, 'Nothing was begun.') : show(output, ...said)
    }, output)
  $('register-name').oninput = suggest
  $('use-suggestion').onclick = () => {
    $('register-name').value = $('use-suggestion').textContent
    suggest()
    $('register-name').focus()
  }
  $('estimate').onclick = () =>
    act(async (name) => {
      const estimate = await post('/api/vdf/estimate', { name })
      return [`${costLine(estimate)}; the lease would run to ${new Date(estimate.lease_end).toLocaleDateString()}.`]
    })
  $('register-form').onsubmit = (event) => {
    event.preventDefault()
    void act(async (name) => {
      const message = await begin('register', name)
      return message === undefined ? undefined : [message, 'good']
    })
  }
}
