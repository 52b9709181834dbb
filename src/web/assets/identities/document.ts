import { html, type Children } from '../lib/html.ts'
import { Badge, Card, Facts, Hash } from '../parts/basics.ts'
import { columns, Table } from '../parts/table.ts'
import { Json } from './json.ts'
import { keysOf, servicesOf, type DidDocument, type Key, type Service } from './words.ts'

export function Document({ document, actions }: { document: DidDocument; actions: Children }) {
  const keys = keysOf(document)
  const services = servicesOf(document)
  return html`
    <${Card} title="Document" actions=${actions}>
      <div class="stack">
        <${Facts}
          facts=${[
            ['DID', html`<${Hash} text=${document.id} what="DID" head=${24} tail=${10} />`],
            [
              'State',
              html`<${Badge} tone=${document.deactivated === true ? 'quiet' : 'good'}
                >${document.deactivated === true ? 'deactivated' : 'active'}<//
              >`
            ],
            ['Version', document.version],
            (document.alsoKnownAs ?? []).length > 0 && ['Also known as', document.alsoKnownAs?.join(', ')]
          ]}
        />
        ${
          keys.length > 0 &&
          html`<${Table}
            caption="Keys of the identity"
            columns=${columns<Key>([
              { title: 'Key', cell: ({ id }) => html`<code>${id}</code>` },
              { title: 'What it does', cell: ({ purposes }) => purposes.join(', ') || 'nothing by itself' },
              { title: 'Type', cell: ({ type }) => type },
              { title: 'Public key', cell: ({ key }) => html`<${Hash} text=${key} what="public key" />` }
            ])}
            rows=${keys}
            keyOf=${({ id }: Key) => id}
          />`
        }
        ${
          services.length > 0 &&
          html`<${Table}
            caption="Services of the identity"
            columns=${columns<Service>([
              { title: 'Service', cell: ({ id }) => html`<code>${id}</code>` },
              { title: 'Type', cell: ({ type }) => type },
              { title: 'Endpoint', class: 'value-cell', cell: ({ endpoint }) => html`<code>${endpoint}</code>` }
            ])}
            rows=${services}
            keyOf=${({ id }: Service) => id}
          />`
        }
        <${Json} value=${document} title="The document as JSON" />
      </div>
    <//>
  `
}
