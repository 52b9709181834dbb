import type { WantedView } from '../lib/api.ts'
import { html, useState } from '../lib/html.ts'
import { post, reasonOf, remove } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { useAct } from '../parts/act.ts'
import { Badge, Button, Card, Loaded, type Tone } from '../parts/basics.ts'
import { TextField } from '../parts/fields.ts'
import { columns, Table } from '../parts/table.ts'
import { toast } from '../parts/toasts.ts'

const STATES: Readonly<Record<WantedView['state'], readonly [string, Tone]>> = {
  looking: ['looking', 'accent'],
  'not-found': ['not found yet', 'warn'],
  'other-owner': ['of another owner', 'bad'],
  adopted: ['found', 'good']
}
const shown = () => refresh('/api/wanted', '/api/names', '/api/identities')

/** After a restore from the words: names and identities of this seed that the network holds. */
export function Wanted() {
  const wanted = useResource('/api/wanted', { every: 10_000, on: ['name:held'] })
  const mayLook = useMay('publish')
  const [id, setId] = useState('')
  const [error, setError] = useState<string>()
  const [run, isBusy] = useAct((trouble) => setError(reasonOf(trouble)))
  const look = (event: Event) => {
    event.preventDefault()
    if (id.trim() === '') {
      setError('Type a name or a DID that you owned.')
      return
    }
    void run(async () => {
      const { state, detail } = await post('/api/wanted', { id: id.trim() })
      await shown()
      toast(detail, state === 'adopted' ? 'good' : '')
      setId('')
    })
  }
  return html`
    <${Card} title="Find your names in the network">
      <div class="stack">
        <p class="quiet">
          After a restore from the words, the daemon knows your keys but not your names. Type each one: it looks until
          it finds them.
        </p>
        <form class="ask" onSubmit=${look}>
          <${TextField}
            label="Name or DID of yours"
            error=${error}
            value=${id}
            placeholder="alice.chronym"
            onInput=${(text: string) => {
              setId(text)
              setError(undefined)
            }}
          />
          <${Button} type="submit" icon="lookup" busy=${isBusy} disabled=${!mayLook}>Find it<//>
        </form>
        <${Loaded} of=${wanted}>
          ${(all: WantedView[]) =>
            all.length > 0 &&
            html`<${Table}
              caption="Names and identities that the daemon looks for"
              columns=${columns<WantedView>([
                { title: 'Name or DID', cell: (each) => html`<span class="mono">${each.id}</span>` },
                {
                  title: 'State',
                  cell: ({ state }) => html`<${Badge} tone=${STATES[state][1]}>${STATES[state][0]}<//>`
                },
                { title: 'Last look', cell: ({ detail }) => detail },
                {
                  title: 'Actions',
                  isHidden: true,
                  cell: (each) =>
                    html`<div class="actions">
                      <${Button}
                        kind="small"
                        disabled=${!mayLook}
                        label=${`Stop looking for ${each.id}`}
                        onClick=${() => stop(each.id)}
                        >Stop<//
                      >
                    </div>`
                }
              ])}
              rows=${all}
              keyOf=${(each: WantedView) => each.id}
            />`}
        <//>
      </div>
    <//>
  `
}

async function stop(id: string): Promise<void> {
  await remove(`/api/wanted/${encodeURIComponent(id)}`)
  await shown()
}
