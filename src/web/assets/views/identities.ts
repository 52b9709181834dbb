import type { OwnIdentityView } from '../lib/api.ts'
import { h, html, useState, type TargetedEvent } from '../lib/html.ts'
import { post, reasonOf } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { go, to, type ViewProps } from '../lib/router.ts'
import { useMay } from '../lib/session.ts'
import { ends, plural } from '../lib/words.ts'
import { DocumentCard, History, ManifestCard } from '../identities/document.ts'
import { innerOf, isManifest, keysOf, readSigned, type DidDocument, type Signed } from '../identities/words.ts'
import { toast, useForm } from '../parts/act.ts'
import {
  Badge,
  Button,
  Card,
  Empty,
  Hash,
  LinkButton,
  loaded,
  Notice,
  Page,
  waiting,
  When,
  type Tone
} from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { FormDialog } from '../parts/dialog.ts'
import { AskForm, Field, SelectField, TextField } from '../parts/fields.ts'
import { table } from '../parts/table.ts'

const STATES: Readonly<Record<OwnIdentityView['state'], Tone>> = {
  active: 'good',
  deactivated: 'quiet',
  superseded: 'warn'
}
const LEAD = 'DIDs: documents with keys, and manifests of what an identity offers.'

export function View({ params: { did } }: ViewProps) {
  const mayPublish = useMay('publish')
  const [Dialog, setDialog] = useState<{ View: typeof Create }>()
  const own = useResource('/api/identities', { every: 60_000 })
  const onDone = (published: string) => {
    setDialog(undefined)
    go(to('identities', published))
  }
  const buttons = [
    h(Button, { disabled: !mayPublish, onClick: () => setDialog({ View: Publish }) }, 'Publish a signed one'),
    h(
      Button,
      { icon: 'plus', kind: 'main', disabled: !mayPublish, onClick: () => setDialog({ View: Create }) },
      'Make an identity'
    )
  ]
  return html`
    <${Page} title="Identities" lead=${LEAD} actions=${buttons} />
    <div class="stack">
      <${Card}>
        ${h(AskForm, { label: 'DID', placeholder: 'did:chronym:z…', start: did, button: 'Resolve', ask: askDid })}
      <//>
      ${did !== undefined && h(Resolved, { did, key: did })}
      <${Card} title="Published by this daemon">${loaded(own, (all) => ownIdentities(all, did))}<//>
    </div>
    ${Dialog && h(Dialog.View, { onClose: () => setDialog(undefined), onDone })}
  `
}

function askDid(text: string): void {
  if (!/^did:/i.test(text)) throw new Error('A DID begins with "did:". For a name, use "Look up".')
  go(to('identities', text))
}

function Resolved({ did }: { did: string }) {
  const path = `/api/resolve-kid/${encodeURIComponent(did)}` as const
  const resolved = useResource(path, { every: Infinity })
  const log = useResource(resolved.data === undefined ? null : `${path}/log`, { every: Infinity })
  const again = h(Button, { kind: 'small', icon: 'renew', onClick: () => refresh(path) }, 'Ask again')
  if (resolved.error !== undefined && resolved.data === undefined)
    return h(
      Notice,
      { tone: 'warn', title: `${ends(did, 20, 8)} does not resolve`, actions: again },
      reasonOf(resolved.error)
    )
  if (resolved.data === undefined) return waiting('Asking peers for the document…')
  const { kid_document: document, manifest_document: manifest, manifest_answered: isAnswered } = resolved.data
  return html`
    ${resolved.error && html`<${Notice} tone="warn" title="This answer is from before">${resolved.error.message}<//>`}
    ${h(DocumentCard, { document: document as DidDocument, actions: again })}
    ${h(ManifestCard, { manifest: isManifest(manifest) ? manifest : null, isAnswered })}
    <${Card} title="Versions">${loaded(log, ({ versions }) => h(History, { versions }))}<//>
  `
}

const ownIdentities = (all: readonly OwnIdentityView[], shown: string | undefined) =>
  all.length === 0
    ? html`<${Empty} icon="identities" title="No identity yet">
        <p>An identity lets programs know you by your keys. “Make an identity” makes one of your seed.</p>
      <//>`
    : table({
        caption: 'Identities that this daemon publishes',
        rows: all,
        keyOf: ({ did }) => did,
        toneOf: ({ did }) => (did === shown ? 'is-marked' : ''),
        columns: [
          { title: 'DID', cell: ({ did }) => h(Hash, { text: did, what: 'DID', head: 20, tail: 8 }) },
          {
            title: 'Carried by',
            cell: ({ name }) => (name === null ? 'work' : html`<a href=${to('lookup', name)}>${name}</a>`)
          },
          { title: 'State', cell: ({ state }) => h(Badge, { tone: STATES[state] }, state) },
          { title: 'Changed', cell: ({ updated }) => h(When, { at: updated }) },
          { title: 'Services', isNumber: true, cell: ({ services }) => services },
          { title: 'Version', isNumber: true, cell: ({ version }) => version }
        ],
        actionsOf: ({ did }) =>
          h(LinkButton, { kind: 'small', href: to('identities', did), label: `Show ${did}` }, 'Show')
      })

interface DialogProps {
  readonly onClose: () => void
  readonly onDone: (did: string) => void
}

/** Makes an identity, which the daemon signs. */
function Create({ onClose, onDone }: DialogProps) {
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
function Publish({ onClose, onDone }: DialogProps) {
  const [text, setText] = useState('')
  const read = text.trim() === '' ? undefined : readSigned(text)
  const form = useForm(async () => {
    if (read === undefined || 'error' in read) throw new Error(read?.error ?? 'Choose a file, or paste its text.')
    const { did, version, stored_by: stored, of } = await post(PATHS[read.kind], read.value)
    await refresh('/api/identities', '/api/resolve-kid')
    toast(`Version ${version} of the ${WORDS[read.kind]} is at ${stored} of ${plural(of, 'peer')}.`)
    onDone(did)
  })
  const edit = form.clearing(setText)
  const choose = async (event: TargetedEvent<HTMLInputElement>) => {
    const [file] = event.currentTarget.files ?? []
    if (file === undefined) return
    if (file.size > MAX_FILE_BYTES) form.setError('The file is larger than 256 KiB.')
    else {
      const text = utf8OrUndefined(await file.arrayBuffer())
      if (text === undefined) form.setError('The file is not UTF-8. Save it as UTF-8 and choose it again.')
      else edit(text)
    }
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

/** `File.text()` would put U+FFFD in the place of other octets, and that would be published. */
function utf8OrUndefined(octets: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets)
  } catch {
    return undefined
  }
}
