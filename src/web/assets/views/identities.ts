import { Document, History, Manifest } from '../identities/document.ts'
import { Create, Publish } from '../identities/publish.ts'
import type { IdentityLogBody, OwnIdentityView } from '../lib/api.ts'
import { html, useEffect, useState } from '../lib/html.ts'
import { reasonOf } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { go, to, type View, type ViewProps } from '../lib/router.ts'
import { useMay } from '../lib/session.ts'
import { dateTime, ends } from '../lib/words.ts'
import { Badge, Button, Card, Empty, Hash, LinkButton, Loaded, Notice, Page, type Tone, When } from '../parts/basics.ts'
import { TextField } from '../parts/fields.ts'
import { columns, Table } from '../parts/table.ts'

const STATES: Readonly<Record<OwnIdentityView['state'], Tone>> = {
  active: 'good',
  deactivated: 'quiet',
  superseded: 'warn'
}
const LEAD = 'DIDs: documents with keys, and manifests of what an identity offers.'

function View({ params: { did } }: ViewProps) {
  const mayPublish = useMay('publish')
  const [open, setOpen] = useState<'create' | 'publish'>()
  const Dialog = open && { create: Create, publish: Publish }[open]
  const buttons = html`
    <${Button} disabled=${!mayPublish} onClick=${() => setOpen('publish')}>Publish a signed one<//>
    <${Button} icon="plus" kind="main" disabled=${!mayPublish} onClick=${() => setOpen('create')}>Make an identity<//>
  `
  return html`
    <${Page} title="Identities" lead=${LEAD} actions=${buttons} />
    <div class="stack">
      <${Card}><${AskForm} did=${did} /><//>
      ${did !== undefined && html`<${Resolved} did=${did} key=${did} />`}
      <${Own} shown=${did} />
    </div>
    ${
      Dialog &&
      html`<${Dialog}
        onClose=${() => setOpen(undefined)}
        onDone=${(published: string) => {
          setOpen(undefined)
          go(to('identities', published))
        }}
      />`
    }
  `
}

function AskForm({ did = '' }: { did?: string }) {
  const [text, setText] = useState(did)
  const [error, setError] = useState<string>()
  useEffect(() => setText(did), [did])
  const submit = (event: Event) => {
    event.preventDefault()
    if (!/^did:/i.test(text.trim())) setError('A DID begins with "did:". For a name, use "Look up".')
    else go(to('identities', text.trim()))
  }
  return html`
    <form class="ask" onSubmit=${submit} role="search">
      <${TextField}
        label="DID"
        error=${error}
        value=${text}
        placeholder="did:chronym:z…"
        onInput=${(typed: string) => {
          setText(typed)
          setError(undefined)
        }}
      />
      <${Button} kind="main" type="submit" icon="lookup">Resolve<//>
    </form>
  `
}

function Resolved({ did }: { did: string }) {
  const path = `/api/resolve-kid/${encodeURIComponent(did)}` as const
  const resolved = useResource(path, { every: Infinity })
  const log = useResource(resolved.data === undefined ? null : `${path}/log`, { every: Infinity })
  const again = html`<${Button} kind="small" icon="renew" onClick=${() => refresh(path)}>Ask again<//>`
  if (resolved.error !== undefined && resolved.data === undefined)
    return html`<${Notice} tone="warn" title="${ends(did, 20, 8)} does not resolve" actions=${again}>
      ${reasonOf(resolved.error)}
    <//>`
  if (resolved.data === undefined)
    return html`<p class="quiet loading" role="status">Asking peers for the document…</p>`
  const { kid_document: document, manifest_document: manifest } = resolved.data
  return html`
    ${resolved.error && html`<${Notice} tone="warn" title="This answer is from before">${resolved.error.message}<//>`}
    <${Document} document=${document} actions=${again} />
    <${Manifest} manifest=${manifest} did=${did} />
    <${Card} title="Versions"
      ><${Loaded} of=${log}>${({ versions }: IdentityLogBody) => html`<${History} versions=${versions} />`}<//><//
    >
  `
}

function Own({ shown }: { shown: string | undefined }) {
  const own = useResource('/api/identities', { every: 60_000 })
  return html`
    <${Card} title="Published by this daemon">
      <${Loaded} of=${own}>
        ${(all: OwnIdentityView[]) =>
          all.length === 0
            ? html`<${Empty} icon="identities" title="No identity yet">
                <p>An identity lets programs know you by your keys. “Make an identity” makes one of your seed.</p>
              <//>`
            : html`<${Table}
                caption="Identities that this daemon publishes"
                columns=${columns<OwnIdentityView>([
                  { title: 'DID', cell: ({ did }) => html`<${Hash} text=${did} what="DID" head=${20} tail=${8} />` },
                  {
                    title: 'Carried by',
                    cell: ({ name }) => (name === null ? 'work' : html`<a href=${to('lookup', name)}>${name}</a>`)
                  },
                  { title: 'State', cell: ({ state }) => html`<${Badge} tone=${STATES[state]}>${state}<//>` },
                  {
                    title: 'Changed',
                    cell: ({ updated }) => html`<${When} at=${updated}>${dateTime(updated)}<//>`
                  },
                  { title: 'Services', isNumber: true, cell: ({ services }) => services },
                  { title: 'Version', isNumber: true, cell: ({ version }) => version },
                  {
                    title: 'Actions',
                    isHidden: true,
                    cell: ({ did }) =>
                      html`<div class="actions">
                        <${LinkButton} kind="small" href=${to('identities', did)} label=${`Show ${did}`}>Show<//>
                      </div>`
                  }
                ])}
                rows=${all}
                keyOf=${({ did }: OwnIdentityView) => did}
                toneOf=${({ did }: OwnIdentityView) => (did === shown ? 'is-marked' : '')}
              />`}
      <//>
    <//>
  `
}

export const view: View = { path: '/identities/:did?', title: 'Identities', icon: 'identities', View }
