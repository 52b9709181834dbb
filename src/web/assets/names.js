import { $, attempt, button, duration, element, show } from './elements.js'
import { get, post } from './http.js'
import { refreshTasks } from './tasks.js'
import { editZone } from './zone-editor.js'

function lease({ state, lease_end: end }) {
  const left = (Date.parse(end) - Date.now()) / 1000
  if (state === 'live') return `ends in ${duration(left)}`
  if (state === 'contested' || state === 'lost') return state
  return state === 'grace' ? `lapsed ${duration(-left)} ago: renew now` : 'lapsed'
}

function renewal({ renewal: { state, due } }) {
  if (state === 'scheduled') return Date.parse(due) > Date.now() ? `by itself in ${duration((Date.parse(due) - Date.now()) / 1000)}` : 'by itself, now'
  return { running: 'under way', paused: 'paused', failed: 'failed; tried again', off: 'off', impossible: 'not possible' }[state]
}

function row(owned) {
  const { name, state, serial, published_serial: published, warnings } = owned
  const zone = serial === 0 ? 'none' : serial === published ? `live (${serial})` : `saved ${serial}, live ${published || 'none'}`
  return element(
    'tr',
    {},
    element('td', {}, name, ...warnings.map(({ message }) => element('div', { className: 'bad' }, message))),
    element('td', { className: state === 'live' ? '' : 'bad', title: new Date(owned.lease_end).toLocaleString() }, lease(owned)),
    element('td', {}, renewal(owned)),
    element('td', {}, zone),
    element(
      'td',
      {},
      button('Edit zone', () => attempt(() => editZone(name)), `Edit the zone of ${name}`),
      ' ',
      button('Renew', () => attempt(() => startTask('renew', name)), `Renew ${name}`)
    )
  )
}

export async function refreshNames() {
  const names = await get('/api/names')
  // Whoever is at one of the buttons stays there.
  const at = $('names').contains(document.activeElement) ? document.activeElement.ariaLabel : null
  $('names').replaceChildren(...names.map(row))
  if (at !== null) [...$('names').querySelectorAll('button')].find(({ ariaLabel }) => ariaLabel === at)?.focus()
  $('no-names').hidden = names.length > 0
}

async function startTask(kind, name) {
  const { message } = await post(`/api/vdf/${kind}`, { name }, { 'Idempotency-Key': crypto.randomUUID() })
  await refreshTasks()
  return message
}

export function wireRegister() {
  const output = $('register-output')
  const name = () => $('register-name').value.trim()
  $('estimate').onclick = () =>
    attempt(async () => {
      const { iterations, seconds, queued_seconds: queued, lease_end: end, proof_kept: isKept } = await post('/api/vdf/estimate', { name: name() })
      const waiting = queued > 0 ? `, of which ${duration(queued)} waiting for the tasks before it` : ''
      const cost = isKept ? 'A finished proof is kept here, only publishing is left' : `About ${duration(seconds)} on this machine (${iterations.toLocaleString('en')} squarings)${waiting}`
      show(output, `${cost}; the lease would run to ${new Date(end).toLocaleDateString()}.`)
    }, output)
  $('register-form').onsubmit = (event) => {
    event.preventDefault()
    void attempt(async () => show(output, await startTask('register', name()), 'good'), output)
  }
}
