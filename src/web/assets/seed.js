import { $, attempt, element, show } from './elements.js'
import { get, post } from './http.js'

const WORDS = { register: 'registration of', renew: 'renewal of', adopt: 'look-up of your' }

/**
 * What a person should know of the seed, from GET /api/seed; undefined while all is well. `waiting`: a line for each
 * signature that waits.
 */
export function seedNotice({ state, kept_elsewhere: isSafe, waiting }) {
  const reminder =
    'Your names belong to a seed that may exist on this machine only. Write down its 24 words ' +
    '(chronym key show) and check them (chronym key check), or make a backup (chronym backup FILE).'
  if (state === 'locked') {
    const lines = [
      'Look-ups and squaring continue. Until you unlock it, the daemon refuses new registrations and ' +
        'publishing. A running task waits at its end for the signature.',
      ...(isSafe ? [] : [reminder])
    ]
    return {
      title: 'The seed is locked',
      lines,
      waiting: waiting.map(({ what, name }) => `${WORDS[what]} ${name}`),
      isLocked: true
    }
  }
  return isSafe ? undefined : { title: 'Keep your seed safe', lines: [reminder], waiting: [], isLocked: false }
}

/** What is shown now, so that nothing is read aloud twice. */
let shown = ''

function showSeed(seed) {
  const told = seedNotice(seed)
  if (JSON.stringify(told) === shown) return
  shown = JSON.stringify(told)
  $('seed').hidden = told === undefined
  $('unlock-form').hidden = told?.isLocked !== true
  if (told === undefined) return
  $('seed-title').textContent = told.title
  $('seed-text').replaceChildren(...told.lines.map((line) => element('p', {}, line)))
  $('seed-waiting').replaceChildren(...told.waiting.map((line) => element('li', {}, `Waits: ${line}`)))
}

export const refreshSeed = async () => showSeed(await get('/api/seed'))

/** The passphrase stays in no field of a page that is logged out. */
export function forgetPassphrase() {
  $('seed-passphrase').value = ''
  show($('unlock-output'), '')
}

/** @param refresh called once the seed is unlocked */
export function wireUnlock(refresh) {
  $('unlock-form').onsubmit = (event) => {
    event.preventDefault()
    const passphrase = $('seed-passphrase').value
    $('seed-passphrase').value = ''
    $('unlock').disabled = true
    show($('unlock-output'), 'Checking the passphrase takes a second or two.')
    void attempt(async () => {
      showSeed(await post('/api/seed/unlock', { passphrase }))
      show($('unlock-output'), '')
      await refresh()
    }, $('unlock-output')).finally(() => {
      $('unlock').disabled = false
      if (!$('unlock-form').hidden) $('seed-passphrase').focus()
    })
  }
}
