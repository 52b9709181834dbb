import { h, html, useState, type TargetedEvent } from '../lib/html.ts'
import { post, Problem, reasonOf } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { ends, plural } from '../lib/words.ts'
import { toast, useForm } from '../parts/act.ts'
import { Badge, Notice } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { FormDialog } from '../parts/dialog.ts'
import { Field, SelectField, TextField } from '../parts/fields.ts'
import { innerOf, keysOf, readSigned, type Signed } from './words.ts'

interface DialogProps {
  readonly onClose: () => void
  readonly onDone: (did: string) => void
}

/** Makes an identity, which the daemon signs. */
export function Create({ onClose, onDone }: DialogProps) {
  const names = (useResource('/api/names').data ?? []).filter(({ state }) => state === 'live' || state === 'grace')
  const [name, setName] = useState('')
  const form = useForm(async () => {
    const { did, stored_by: stored, of } = await post('/api/kid', name === '' ? {} : { name })
    await refresh('/api/identities', '/api/resolve-kid')
    toast(`The identity is at ${stored} of ${plural(of, 'peer')}.`)
    onDone(did)
  })
  return html`
    <${FormDialog} title="Make an identity" form=${form} yes="Make it" onClose=${onClose}>
      ${h(SelectField, {
        label: 'Carried by',
        value: name,
        options: [['', 'work of this machine'], ...names.map(({ name: each }) => each)],
        error: form.error,
        onChange: form.clearing(setName),
        'data-focus': true,
        hint: 'A name carries it for as long as you have the name. Without one, peers take a stamp, which costs work.'
      })}
      <p class="quiet">
        The daemon signs it with keys of your seed. <${Command} words="kid create --help" /> tells of services and
        recovery keys.
      </p>
    <//>
  `
}

/** Larger files are neither documents nor manifests: the daemon takes 256 KiB. */
const MAX_FILE_BYTES = 256 * 1024
const PATHS = { kid: '/api/publish-kid', manifest: '/api/publish-manifest' } as const
const WORDS = { kid: 'identity document', manifest: 'manifest' }

/** Publishes what somebody has signed already. */
export function Publish({ onClose, onDone }: DialogProps) {
  const [text, setText] = useState('')
  const read = text.trim() === '' ? undefined : readSigned(text)
  const form = useForm(async () => {
    if (read === undefined || 'error' in read) throw new Error(read?.error ?? 'Choose a file, or paste its text.')
    const { did, version, stored_by: stored, of } = await post(PATHS[read.kind], read.value)
    await refresh('/api/identities', '/api/resolve-kid')
    toast(`Version ${version} of the ${WORDS[read.kind]} is at ${stored} of ${plural(of, 'peer')}.`)
    onDone(did)
  }, everyReason)
  const edit = form.clearing(setText)
  const choose = async (event: TargetedEvent<HTMLInputElement>) => {
    const [file] = event.currentTarget.files ?? []
    if (file === undefined) return
    if (file.size > MAX_FILE_BYTES) form.setError('The file is larger than 256 KiB.')
    else edit(await file.text())
  }
  return html`
    <${FormDialog} title="Publish a signed document or manifest" form=${form} yes="Publish" onClose=${onClose} wide>
      <p class="quiet">
        <${Command} words="kid create" /> prints a signed document; <${Command} words="manifest publish" /> signs a
        manifest and publishes it at once. The keys stay with the seed.
      </p>
      ${h(Field, {
        label: 'File',
        control: ({ id }) =>
          html`<input id=${id} type="file" accept=".json,application/json" data-focus onChange=${choose} />`
      })}
      ${h(TextField, {
        label: 'Or its text',
        error: form.error,
        value: text,
        lines: 8,
        class: 'mono-field',
        onInput: edit
      })}
      ${read !== undefined && !('error' in read) && summary(read)}
    <//>
  `
}

const everyReason = (error: Error): string =>
  [
    reasonOf(error),
    ...(error instanceof Problem ? error.errors : []).map(({ path, message }) => `${path}: ${message}`)
  ].join(' ')

/** What would be published, in words, before it is. */
function summary(read: Signed) {
  const { id = 'without an id', version = '?', proof, capabilities = [], ...inner } = innerOf(read)
  const isDocument = read.kind === 'kid'
  return html`
    <${Notice} title=${isDocument ? 'An identity document' : 'A manifest'}>
      <code>${ends(id, 24, 8)}</code>, version ${version},
      ${' '}${isDocument ? plural(keysOf(inner).length, 'key') : plural(capabilities.length, 'capability', 'capabilities')}
      ${' '}${proof === undefined && html`<${Badge} tone="bad">without a proof: sign it first<//>`}
    <//>
  `
}
