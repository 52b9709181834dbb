import { innerOf, keysOf, readSigned, type Signed } from './words.ts'
import { html, type TargetedEvent, useState } from '../lib/html.ts'
import { post, Problem, reasonOf } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { ends, plural } from '../lib/words.ts'
import { toast, useAct } from '../parts/act.ts'
import { Badge, Button, Notice } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { Modal } from '../parts/dialog.ts'
import { Field, SelectField, TextField } from '../parts/fields.ts'

/** Makes an identity, which the daemon signs. */
export function Create({ onClose, onDone }: { onClose: () => void; onDone: (did: string) => void }) {
  const names = (useResource('/api/names').data ?? []).filter(({ state }) => state === 'live' || state === 'grace')
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const [run, isBusy] = useAct((trouble) => setError(reasonOf(trouble)))
  const submit = (event: Event) => {
    event.preventDefault()
    setError(undefined)
    return run(async () => {
      const { did, stored_by: stored, of } = await post('/api/kid', name === '' ? {} : { name })
      await refresh('/api/identities', '/api/resolve-kid')
      toast(`The identity is at ${stored} of ${plural(of, 'peer')}.`)
      onDone(did)
    })
  }
  return html`
    <${Modal} title="Make an identity" onClose=${onClose}>
      <form class="stack" onSubmit=${submit}>
        <${SelectField}
          label="Carried by"
          value=${name}
          options=${[['', 'work of this machine'], ...names.map(({ name: each }) => each)]}
          error=${error}
          onChange=${(chosen: string) => {
            setName(chosen)
            setError(undefined)
          }}
          data-focus
          hint="A name carries it for as long as you have the name. Without one, peers take a stamp, which costs work."
        />
        <p class="quiet">
          The daemon signs it with keys of your seed. <${Command} words="kid create --help" /> tells of services and
          recovery keys.
        </p>
        <div class="answers">
          <${Button} onClick=${onClose}>Cancel<//>
          <${Button} kind="main" type="submit" busy=${isBusy}>Make it<//>
        </div>
      </form>
    <//>
  `
}

/** Larger files are neither documents nor manifests: the daemon takes 256 KiB. */
const MAX_FILE_BYTES = 256 * 1024
const PATHS = { kid: '/api/publish-kid', manifest: '/api/publish-manifest' } as const
const WORDS = { kid: 'identity document', manifest: 'manifest' }

/** Publishes what somebody has signed already. */
export function Publish({ onClose, onDone }: { onClose: () => void; onDone: (did: string) => void }) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const [run, isBusy] = useAct((trouble) =>
    setError(
      [
        reasonOf(trouble),
        ...(trouble instanceof Problem ? trouble.errors : []).map(({ path, message }) => `${path}: ${message}`)
      ].join(' ')
    )
  )
  const read = text.trim() === '' ? undefined : readSigned(text)
  const edit = (typed: string) => {
    setText(typed)
    setError(undefined)
  }
  const choose = async (event: TargetedEvent<HTMLInputElement>) => {
    const [file] = event.currentTarget.files ?? []
    if (file === undefined) return
    if (file.size > MAX_FILE_BYTES) setError('The file is larger than 256 KiB.')
    else edit(await file.text())
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (read === undefined || 'error' in read) {
      setError(read?.error ?? 'Choose a file, or paste its text.')
      return
    }
    void run(async () => {
      const { did, version, stored_by: stored, of } = await post(PATHS[read.kind], read.value)
      await refresh('/api/identities', '/api/resolve-kid')
      toast(`Version ${version} of the ${WORDS[read.kind]} is at ${stored} of ${plural(of, 'peer')}.`)
      onDone(did)
    })
  }
  return html`
    <${Modal} title="Publish a signed document or manifest" onClose=${onClose} wide>
      <form class="stack" onSubmit=${submit}>
        <p class="quiet">
          <${Command} words="kid create" /> prints a signed document; <${Command} words="manifest publish" /> signs a
          manifest and publishes it at once. The keys stay with the seed.
        </p>
        <${Field} label="File">
          ${({ id }: { id: string }) => html`<input id=${id} type="file" accept=".json,application/json" data-focus onChange=${choose} />`}
        <//>
        <${TextField} label="Or its text" error=${error} value=${text} lines=${8} class="mono-field" onInput=${edit} />
        ${read !== undefined && !('error' in read) && html`<${Summary} read=${read} />`}
        <div class="answers">
          <${Button} onClick=${onClose}>Cancel<//>
          <${Button} kind="main" type="submit" busy=${isBusy}>Publish<//>
        </div>
      </form>
    <//>
  `
}

/** What would be published, in words, before it is. */
function Summary({ read }: { read: Signed }) {
  const inner = innerOf(read)
  return html`
    <${Notice} title=${read.kind === 'kid' ? 'An identity document' : 'A manifest'}>
      <code>${ends(inner.id ?? 'without an id', 24, 8)}</code>, version ${inner.version ?? '?'},
      ${' '}${read.kind === 'kid' ? plural(keysOf(inner).length, 'key') : plural(inner.capabilities?.length ?? 0, 'capability', 'capabilities')}
      ${' '}${inner.proof === undefined && html`<${Badge} tone="bad">without a proof: sign it first<//>`}
    <//>
  `
}
