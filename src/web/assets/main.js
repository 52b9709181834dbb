import { withdrawQuestion } from './dialog.js'
import { $, attempt, count, duration, element, notice } from './elements.js'
import { get, logIn, logOut, stream, whenLoggedOut } from './http.js'
import { refreshNames, wireRegister } from './names.js'
import { forgetPassphrase, refreshSeed, wireUnlock } from './seed.js'
import { eventWord } from './task-state.js'
import { onTaskEnd, refreshTasks, stopTasks } from './tasks.js'
import { wireZoneEditor } from './zone/editor.js'

const REFRESH_MS = 2000
const MAX_EVENTS = 200

let closeEvents = () => {}
let timer
/** Was the last refresh in vain? Only then is the notice its to clear. */
let lost = false

async function refreshNetwork() {
  const { status, peers, mode, peer_id: peerId, network, beacon, records, diversity } = await get('/api/network-status')
  $('connection').textContent = status
  $('connection').className = `badge ${status === 'online' ? 'good' : status === 'offline' ? 'bad' : ''}`
  const facts = {
    Network: network,
    Mode: mode,
    Peers: count(peers),
    'Records held': count(records),
    Beacon:
      beacon.round === null
        ? 'no pulse yet'
        : `round ${count(beacon.round)}${beacon.age_seconds === null ? '' : `, ${duration(beacon.age_seconds)} old`}`,
    'Peer id': peerId,
    ...(diversity !== null && diversity.message !== null && status !== 'offline' && { Diversity: diversity.message })
  }
  $('network').replaceChildren(
    ...Object.entries(facts).flatMap(([term, fact]) => [element('dt', {}, term), element('dd', {}, fact)])
  )
}

function showEvent(_type, { at, type, detail }) {
  if (type === 'beacon:pulse') return // One a second; the round is shown above.
  const facts = Object.entries(detail).map(
    ([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`
  )
  $('events').prepend(
    element('li', {}, [new Date(at).toLocaleTimeString(), eventWord({ type, detail }), ...facts].join('  '))
  )
  while ($('events').childElementCount > MAX_EVENTS) $('events').lastElementChild.remove()
}

async function refresh() {
  try {
    await Promise.all([refreshNetwork(), refreshNames(), refreshTasks(), refreshSeed()])
    if (lost) notice()
    lost = false
  } catch (error) {
    lost = true
    notice(error)
  }
  if (timer !== undefined) timer = setTimeout(() => void refresh(), REFRESH_MS)
}

function enter() {
  $('login').hidden = true
  $('dashboard').hidden = false
  $('logout').hidden = false
  $('events').replaceChildren()
  closeEvents = stream('/api/events', ['message'], showEvent)
  timer = 0
  void refresh()
}

function leave() {
  clearTimeout(timer)
  timer = undefined
  closeEvents()
  stopTasks()
  withdrawQuestion()
  forgetPassphrase()
  $('dashboard').hidden = true
  $('logout').hidden = true
  $('login').hidden = false
  $('token').focus()
  void refreshNetwork().catch(notice)
}

$('login-form').onsubmit = (event) => {
  event.preventDefault()
  void attempt(async () => {
    await logIn($('token').value.trim())
    $('token').value = ''
    enter()
  })
}
$('logout').onclick = () => attempt(async () => (await logOut(), leave()))
whenLoggedOut(leave)
onTaskEnd(() => void refreshNames().catch(notice))
wireRegister()
wireUnlock(refreshTasks)
wireZoneEditor(refreshNames)

const { scopes } = await get('/session')
if (scopes.length > 0) enter()
else leave()
