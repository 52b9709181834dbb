import type { Estimate, OwnedNameView, TaskView } from '../lib/api.ts'
import { h, html, useAnswer, useState } from '../lib/html.ts'
import { post, reasonOf, remove } from '../lib/http.ts'
import { refresh, useResource, type Read } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { date, dateTime, duration } from '../lib/words.ts'
import { toast, useForm } from '../parts/act.ts'
import { Button, facts } from '../parts/basics.ts'
import { ask, FormDialog, type Question } from '../parts/dialog.ts'
import { TextField } from '../parts/fields.ts'
import { costLine, startTask } from '../tasks/acts.ts'
import { useTasks } from '../tasks/card.ts'
import { isGone, readName, releaseAct, suffixOf, type ReadName } from './words.ts'

const RULES = 'Letters, digits and inner hyphens. Short names cost more work.'
/** After the last key, milliseconds. */
const CHECK_DELAY_MS = 300

/** Read again where something may have changed. */
export const useNames = (): Read<OwnedNameView[]> =>
  useResource('/api/names', { every: 15_000, on: ['name:', 'task:'] })

/** Starts a task after the question of the command line. `owned`: for a renewal. */
async function begin(kind: TaskView['kind'], name: string, owned?: OwnedNameView): Promise<boolean> {
  const message = await startTask({ post, ask }, kind, name, owned)
  if (message === undefined) return false
  await refresh('/api/vdf', '/api/names')
  toast(message)
  return true
}

/** The button that opens the form. `name`: what the form begins with. */
export function RegisterButton({ text = 'Register a name', name }: { text?: string; name?: string }) {
  const disabled = !useMay('vdf')
  const [isOpen, setOpen] = useState(false)
  return html`
    ${h(Button, { kind: 'main', icon: 'plus', disabled, onClick: () => setOpen(true) }, text)}
    ${isOpen && html`<${RegisterDialog} name=${name} onClose=${() => setOpen(false)} />`}
  `
}

interface Told {
  readonly name?: string
  readonly estimate?: Estimate
  /** For a name that is reserved or not open. */
  readonly error?: string
}

/** What the daemon says of a name as one types. */
function useEstimate(name: string | undefined): Told {
  const [told, setTold] = useState<Told>({})
  const read = async (asked: string): Promise<Told> =>
    post('/api/vdf/estimate', { name: asked }).then(
      (estimate) => ({ name: asked, estimate }),
      (error: unknown) => ({ name: asked, error: reasonOf(error as Error) })
    )
  useAnswer(name === undefined ? undefined : () => read(name), setTold, [name], CHECK_DELAY_MS)
  return told.name === name ? told : {}
}

function hintOf(read: ReadName | undefined): string {
  if (read === undefined || read.error !== undefined) return RULES
  return read.shown === undefined
    ? `Registers ${read.name}.`
    : `Registers ${read.name}, which people read as ${read.shown}.`
}

function RegisterDialog({ name: given = '', onClose }: { name?: string; onClose: () => void }) {
  const own = (useResource('/api/names').data ?? []).filter(({ state }) => !isGone(state))
  const running = (useTasks().data ?? []).filter(({ status }) => status === 'running')
  const zone = useResource('/api/dns', { every: Infinity }).data?.zone
  const [text, setText] = useState(given)
  const names = (all: readonly { name: string }[]) => all.map(({ name }) => name)
  const read = readName(text, suffixOf(zone), { own: names(own), running: names(running) })
  const { estimate, error: refusal } = useEstimate(read?.error === undefined ? read?.name : undefined)
  const form = useForm(async () => {
    if (read === undefined || read.error !== undefined || refusal !== undefined) return
    if (await begin('register', read.name)) onClose()
  })
  const error = read?.error ?? form.error ?? refusal
  return html`
    <${FormDialog}
      title="Register a name"
      form=${form}
      yes="Register"
      no="Close"
      disabled=${read === undefined || error !== undefined}
      onClose=${onClose}
    >
      ${h(TextField, {
        label: 'Name',
        value: text,
        onInput: form.clearing(setText),
        error,
        placeholder: 'alice',
        required: true,
        'data-focus': true,
        hint: hintOf(read)
      })}
      ${
        error === undefined &&
        estimate !== undefined &&
        facts([
          ['Work', `${costLine(estimate)}.`],
          estimate.proving_seconds >= 1 && ['Of it, proving', duration(estimate.proving_seconds)],
          ['Lease', `until ${date(estimate.lease_end)}, then the daemon renews it`]
        ])
      }
    <//>
  `
}

const path = (name: string) => `/api/names/${encodeURIComponent(name)}/release` as const

/** `owned`: of GET /api/names. */
export function releaseQuestion(
  { name, lease_end: end }: Pick<OwnedNameView, 'name' | 'lease_end'>,
  nowMs: number
): Question {
  const left = duration((Date.parse(end) - nowMs) / 1000)
  return {
    title: `Let ${name} lapse?`,
    lines: [
      `The daemon stops renewing it. Its lease ends in ${left}, and after the grace anyone may register it.`,
      'Its zone stays published until then. Until the grace ends you can take it back.'
    ],
    yes: 'Release',
    no: 'Keep it',
    isDanger: true
  }
}

async function release(owned: OwnedNameView): Promise<void> {
  if (!(await ask(releaseQuestion(owned, Date.now())))) return
  const { lease_end: end } = await post(path(owned.name))
  await refresh('/api/names')
  toast(`${owned.name} is released and lapses at ${dateTime(end)}. Until its grace ends you can take it back.`)
}

async function acknowledge({ name }: OwnedNameView): Promise<void> {
  await post(path(name))
  await refresh('/api/names')
  toast(`${name} is off the list: it is another owner's.`)
}

async function takeBack({ name }: OwnedNameView): Promise<void> {
  await remove(path(name))
  await refresh('/api/names')
  toast(`${name} is kept. The daemon renews it again.`)
}

/** Renew, release, take back and acknowledge, each with the question of the command line. */
export function NameButtons({ owned }: { owned: OwnedNameView }) {
  const may = useMay('vdf')
  const act = releaseAct(owned)
  const { name, renewal } = owned
  const isRunning = renewal.state === 'running' || renewal.state === 'paused'
  const button = (text: string, label: string, disabled: boolean, onClick: () => unknown) =>
    h(Button, { kind: 'small', label, disabled: !may || disabled, onClick }, text)
  return html`
    ${h(
      Button,
      {
        kind: 'small',
        icon: 'renew',
        label: `Renew ${name}`,
        onClick: () => begin('renew', name, owned),
        disabled: !may || isRunning || renewal.state === 'impossible'
      },
      'Renew'
    )}
    ${act === 'release' && button('Release', `Release ${name}`, isRunning, () => release(owned))}
    ${act === 'acknowledge' && button('Take off the list', `Take off the list: ${name}`, false, () => acknowledge(owned))}
    ${act === 'undo' && button('Take back', `Take back ${name}`, false, () => takeBack(owned))}
  `
}
