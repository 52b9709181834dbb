import { html, useEffect, useState } from '../lib/html.ts'
import { post } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { date, duration } from '../lib/words.ts'
import { useAct } from '../parts/act.ts'
import { Button, Facts } from '../parts/basics.ts'
import { ask, Modal } from '../parts/dialog.ts'
import { TextField } from '../parts/fields.ts'
import { toast } from '../parts/toasts.ts'
import { costLine } from '../questions.ts'
import { startTask } from '../tasks/acts.ts'
import { useTasks } from '../tasks/watch.ts'
import { readName, suffixOf } from './name-input.ts'

const RULES = 'Letters, digits and inner hyphens. Short names cost more work.'
/** After the last key, milliseconds. */
const CHECK_DELAY_MS = 300

/** Starts a task after the question of the command line. `owned`: the name of GET /api/names, for a renewal. */
export async function begin(kind, name, owned) {
  const message = await startTask({ post, ask }, kind, name, owned)
  if (message === undefined) return false
  await refresh('/api/vdf', '/api/names')
  toast(message)
  return true
}

/** The button that opens the form. `name`: what the form begins with. */
export function RegisterButton({ text = 'Register a name', name }) {
  const may = useMay('vdf')
  const [isOpen, setOpen] = useState(false)
  return html`
    <${Button} kind="main" icon="plus" disabled=${!may} onClick=${() => setOpen(true)}>${text}<//>
    ${isOpen && html`<${RegisterDialog} name=${name} onClose=${() => setOpen(false)} />`}
  `
}

const Estimate = ({ estimate }) => html`
  <${Facts}
    facts=${[
      ['Work', `${costLine(estimate)}.`],
      estimate.proving_seconds >= 1 && ['Of it, proving', duration(estimate.proving_seconds)],
      ['Lease', `until ${date(estimate.lease_end)}, then the daemon renews it`]
    ]}
  />
`

/** What the daemon says of a name as one types: `{estimate}`, or `{error}` for one that is reserved or not open. */
function useEstimate(name) {
  const [told, setTold] = useState({})
  useEffect(() => {
    if (name === undefined) return undefined
    let isNewest = true
    const timer = setTimeout(async () => {
      const next = await post('/api/vdf/estimate', { name }).then(
        (estimate) => ({ name, estimate }),
        (error) => ({ name, error: error.detail ?? error.message })
      )
      if (isNewest) setTold(next)
    }, CHECK_DELAY_MS)
    return () => {
      isNewest = false
      clearTimeout(timer)
    }
  }, [name])
  return told.name === name ? told : {}
}

function hintOf(read) {
  if (read === undefined || read.error !== undefined) return RULES
  return read.shown === undefined
    ? `Registers ${read.name}.`
    : `Registers ${read.name}, which people read as ${read.shown}.`
}

function RegisterDialog({ name: given = '', onClose }) {
  const own = (useResource('/api/names').data ?? []).filter(({ state }) => state !== 'lost' && state !== 'lapsed')
  const running = (useTasks().data ?? []).filter(({ status }) => status === 'running')
  const zone = useResource('/api/dns', { every: Infinity }).data?.zone
  const [text, setText] = useState(given)
  const [refusal, setRefusal] = useState()
  const [run, isBusy] = useAct((problem) => setRefusal(problem.detail ?? problem.message))
  const names = (all) => all.map(({ name }) => name)
  const read = readName(text, suffixOf(zone), { own: names(own), running: names(running) })
  const told = useEstimate(read?.error === undefined ? read?.name : undefined)
  const error = read?.error ?? refusal ?? told.error
  const register = (event) => {
    event.preventDefault()
    if (read === undefined || error !== undefined) return undefined
    return run(async () => (await begin('register', read.name)) && onClose())
  }
  return html`
    <${Modal} title="Register a name" onClose=${onClose}>
      <form class="stack" onSubmit=${register}>
        <${TextField}
          label="Name"
          value=${text}
          onInput=${(typed) => (setText(typed), setRefusal(undefined))}
          error=${error}
          placeholder="alice"
          required
          data-focus
          hint=${hintOf(read)}
        />
        ${error === undefined && told.estimate !== undefined && html`<${Estimate} estimate=${told.estimate} />`}
        <div class="answers">
          <${Button} onClick=${onClose}>Close<//>
          <${Button} type="submit" kind="main" busy=${isBusy} disabled=${read === undefined || error !== undefined}
            >Register<//
          >
        </div>
      </form>
    <//>
  `
}
