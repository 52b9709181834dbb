import type { OwnIdentityView } from '../lib/api.ts'
import { h, html, useState } from '../lib/html.ts'
import { reasonOf } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { go, to, type ViewProps } from '../lib/router.ts'
import { useMay } from '../lib/session.ts'
import { ends } from '../lib/words.ts'
import { DocumentCard, History, ManifestCard } from '../identities/document.ts'
import { Create, Publish } from '../identities/publish.ts'
import type { DidDocument, ManifestDocument } from '../identities/words.ts'
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
import { AskForm } from '../parts/fields.ts'
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
  const { kid_document: document, manifest_document: manifest } = resolved.data
  return html`
    ${resolved.error && html`<${Notice} tone="warn" title="This answer is from before">${resolved.error.message}<//>`}
    ${h(DocumentCard, { document: document as DidDocument, actions: again })}
    ${h(ManifestCard, { manifest: manifest as ManifestDocument | null })}
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
