import { html, useState } from '../lib/html.js'
import { post } from '../lib/http.js'
import { refresh, useResource } from '../lib/resource.js'
import { useMay } from '../lib/session.js'
import { date, duration } from '../lib/words.js'
import { useAct } from '../parts/act.js'
import { Button, Facts, Notice } from '../parts/basics.js'
import { ask, Modal } from '../parts/dialog.js'
import { TextField } from '../parts/fields.js'
import { toast } from '../parts/toasts.js'
import { costLine } from '../questions.js'
import { startTask } from '../tasks/acts.js'
import { canonicalName, suggestedName, suffixOf } from './name-input.js'

const RULES = 'Letters a to z, digits and inner hyphens. Short names cost more work.'

/** Starts a task after the question of the command line. `owned`: the name of GET /api/names, for a renewal. */
export async function begin(kind, name, owned) {
  const message = await startTask({ post, ask }, kind, name, owned)
  if (message === undefined) return false
  await refresh('/api/vdf', '/api/names')
  toast(message)
  return true
}

/** The button that opens the form. */
export function RegisterButton({ text = 'Register a name' }) {
  const may = useMay('vdf')
  const [isOpen, setOpen] = useState(false)
  return html`
    <${Button} kind="main" icon="plus" disabled=${!may} onClick=${() => setOpen(true)}>${text}<//>
    ${isOpen && html`<${RegisterDialog} onClose=${() => setOpen(false)} />`}
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

function RegisterDialog({ onClose }) {
  const names = useResource('/api/names').data ?? []
  const [text, setText] = useState('')
  const [error, setError] = useState()
  const [estimated, setEstimated] = useState()
  const [run, isBusy] = useAct((problem) => setError(problem.detail ?? problem.message))
  const suggestion = suggestedName(text, suffixOf(names.map(({ name }) => name)))
  const name = suggestion ?? canonicalName(text)
  const change = (next) => {
    setText(next)
    setError(undefined)
    setEstimated(undefined)
  }
  const estimate = () =>
    run(async () => {
      setError(undefined)
      setEstimated({ name, ...(await post('/api/vdf/estimate', { name })) })
    })
  const register = (event) => {
    event.preventDefault()
    return run(async () => {
      setError(undefined)
      if (await begin('register', name)) onClose()
    })
  }
  return html`
    <${Modal} title="Register a name" onClose=${onClose}>
      <form class="stack" onSubmit=${register}>
        <${TextField}
          label="Name"
          value=${text}
          onInput=${change}
          error=${error}
          placeholder="alice"
          required
          data-focus
          hint=${suggestion === undefined ? RULES : `Registers ${suggestion}.`}
        />
        ${
          estimated !== undefined &&
          (estimated.kind === 'renew'
            ? html`<${Notice}>${estimated.name} is yours already.<//>`
            : html`<${Estimate} estimate=${estimated} />`)
        }
        <div class="answers">
          <${Button} onClick=${onClose}>Close<//>
          <${Button} busy=${isBusy} disabled=${text === ''} onClick=${estimate}>Estimate<//>
          <${Button} type="submit" kind="main" busy=${isBusy} disabled=${text === ''}>Register<//>
        </div>
      </form>
    <//>
  `
}
