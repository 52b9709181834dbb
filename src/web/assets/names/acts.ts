import type { Estimate as EstimateBody, OwnedNameView, TaskView } from '../lib/api.ts'
import { html, useEffect, useState } from '../lib/html.ts'
import { post, reasonOf, remove } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { date, dateTime, duration } from '../lib/words.ts'
import { readName, type ReadName, releaseAct, suffixOf } from './words.ts'
import { toast, useAct } from '../parts/act.ts'
import { Button, Facts } from '../parts/basics.ts'
import { ask, Modal } from '../parts/dialog.ts'
import { TextField } from '../parts/fields.ts'
import { costLine, releaseQuestion } from '../questions.ts'
import { startTask } from '../tasks/acts.ts'
import { useTasks } from '../tasks/card.ts'

const RULES = 'Letters, digits and inner hyphens. Short names cost more work.'
/** After the last key, milliseconds. */
const CHECK_DELAY_MS = 300

/** Starts a task after the question of the command line. `owned`: for a renewal. */
export async function begin(kind: TaskView['kind'], name: string, owned?: OwnedNameView): Promise<boolean> {
  const message = await startTask({ post, ask }, kind, name, owned)
  if (message === undefined) return false
  await refresh('/api/vdf', '/api/names')
  toast(message)
  return true
}

/** The button that opens the form. `name`: what the form begins with. */
export function RegisterButton({ text = 'Register a name', name }: { text?: string; name?: string }) {
  const may = useMay('vdf')
  const [isOpen, setOpen] = useState(false)
  return html`
    <${Button} kind="main" icon="plus" disabled=${!may} onClick=${() => setOpen(true)}>${text}<//>
    ${isOpen && html`<${RegisterDialog} name=${name} onClose=${() => setOpen(false)} />`}
  `
}

const Estimate = ({ estimate }: { estimate: EstimateBody }) => html`
  <${Facts}
    facts=${[
      ['Work', `${costLine(estimate)}.`],
      estimate.proving_seconds >= 1 && ['Of it, proving', duration(estimate.proving_seconds)],
      ['Lease', `until ${date(estimate.lease_end)}, then the daemon renews it`]
    ]}
  />
`

interface Told {
  readonly name?: string
  readonly estimate?: EstimateBody
  /** For a name that is reserved or not open. */
  readonly error?: string
}

/** What the daemon says of a name as one types. */
function useEstimate(name: string | undefined): Told {
  const [told, setTold] = useState<Told>({})
  useEffect(() => {
    if (name === undefined) return undefined
    let isNewest = true
    const check = async () => {
      const next = await post('/api/vdf/estimate', { name }).then(
        (estimate): Told => ({ name, estimate }),
        (error: unknown): Told => ({ name, error: reasonOf(error as Error) })
      )
      if (isNewest) setTold(next)
    }
    const timer = setTimeout(() => void check(), CHECK_DELAY_MS)
    return () => {
      isNewest = false
      clearTimeout(timer)
    }
  }, [name])
  return told.name === name ? told : {}
}

function hintOf(read: ReadName | undefined): string {
  if (read === undefined || read.error !== undefined) return RULES
  return read.shown === undefined
    ? `Registers ${read.name}.`
    : `Registers ${read.name}, which people read as ${read.shown}.`
}

function RegisterDialog({ name: given = '', onClose }: { name?: string; onClose: () => void }) {
  const own = (useResource('/api/names').data ?? []).filter(({ state }) => state !== 'lost' && state !== 'lapsed')
  const running = (useTasks().data ?? []).filter(({ status }) => status === 'running')
  const zone = useResource('/api/dns', { every: Infinity }).data?.zone
  const [text, setText] = useState(given)
  const [refusal, setRefusal] = useState<string>()
  const [run, isBusy] = useAct((problem) => setRefusal(reasonOf(problem)))
  const names = (all: readonly { name: string }[]) => all.map(({ name }) => name)
  const read = readName(text, suffixOf(zone), { own: names(own), running: names(running) })
  const told = useEstimate(read?.error === undefined ? read?.name : undefined)
  const error = read?.error ?? refusal ?? told.error
  const register = (event: Event) => {
    event.preventDefault()
    if (read === undefined || error !== undefined) return undefined
    return run(async () => {
      if (await begin('register', read.name)) onClose()
    })
  }
  return html`
    <${Modal} title="Register a name" onClose=${onClose}>
      <form class="stack" onSubmit=${register}>
        <${TextField}
          label="Name"
          value=${text}
          onInput=${(typed: string) => {
            setText(typed)
            setRefusal(undefined)
          }}
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

const path = (name: string) => `/api/names/${encodeURIComponent(name)}/release` as const

async function release(owned: OwnedNameView): Promise<void> {
  if (!(await ask(releaseQuestion(owned, Date.now())))) return
  const { lease_end: end } = await post(path(owned.name))
  await refresh('/api/names')
  toast(`${owned.name} is released and lapses at ${dateTime(end)}. Until its grace ends you can take it back.`)
}

async function takeBack({ name }: OwnedNameView): Promise<void> {
  await remove(path(name))
  await refresh('/api/names')
  toast(`${name} is kept. The daemon renews it again.`)
}

/** Renew, release and take back, each with the question of the command line. */
export function NameButtons({ owned, kind = 'small' }: { owned: OwnedNameView; kind?: string }) {
  const may = useMay('vdf')
  const act = releaseAct(owned)
  const { name, renewal } = owned
  const isRunning = renewal.state === 'running' || renewal.state === 'paused'
  return html`
    <${Button}
      kind=${kind}
      icon="renew"
      label=${`Renew ${name}`}
      onClick=${() => begin('renew', name, owned)}
      disabled=${!may || isRunning || renewal.state === 'impossible'}
      >Renew<//
    >
    ${
      act === 'release' &&
      html`<${Button}
        kind=${kind}
        label=${`Release ${name}`}
        disabled=${!may || isRunning}
        onClick=${() => release(owned)}
        >Release<//
      >`
    }
    ${
      act === 'undo' &&
      html`<${Button} kind=${kind} label=${`Take ${name} back`} disabled=${!may} onClick=${() => takeBack(owned)}
        >Take back<//
      >`
    }
  `
}
