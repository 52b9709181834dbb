import type { NewTokenBody, TokenView } from '../lib/api.ts'
import type { View } from '../lib/view.ts'
import { html, useState } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { dateTime } from '../lib/words.ts'
import { Badge, Button, Card, Empty, Hash, Loaded, Notice, Page, When } from '../parts/basics.ts'
import { columns, Table } from '../parts/table.ts'
import { revoke, rotate } from '../tokens/acts.ts'
import { NewToken } from '../tokens/new-token.ts'
import { SCOPES } from '../tokens/scopes.ts'
import { Secret, type Made } from '../tokens/secret.ts'

const LEAD = 'Programs and people reach this daemon with a token. Give each one its own, with no more than it needs.'

function View() {
  const tokens = useResource('/api/tokens', { every: 30_000 })
  const mayManage = useMay('admin')
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<Made>()
  const make = html`<${Button} kind="main" icon="plus" disabled=${!mayManage} onClick=${() => setMaking(true)}
    >New token<//
  >`
  return html`
    <${Page} title="Tokens" lead=${LEAD} actions=${make} />
    <div class="stack">
      ${!mayManage && html`<${Notice}>The token of this session lacks the scope "admin": it changes no tokens.<//>`}
      <${Card} title="Tokens of programs">
        <${Loaded} of=${tokens}>${(all: TokenView[]) => html`<${All} tokens=${all} mayManage=${mayManage} />`}<//>
      <//>
      <div class="grid">
        <${Main}
          mayManage=${mayManage}
          onRotated=${(token: string | undefined) => token !== undefined && setMade({ token, isMain: true })}
        />
        <${Card} title="What scopes allow">
          <ul class="stack">
            ${Object.entries(SCOPES).map(
              ([scope, text]) => html`<li key=${scope}><${Badge} tone="accent">${scope}<//> ${text}</li>`
            )}
          </ul>
        <//>
      </div>
    </div>
    ${
      isMaking &&
      html`<${NewToken}
        onClose=${() => setMaking(false)}
        onMade=${(token: NewTokenBody) => {
          setMaking(false)
          setMade(token)
        }}
      />`
    }
    ${made && html`<${Secret} key=${made.token} made=${made} onClose=${() => setMade(undefined)} />`}
  `
}

function All({ tokens, mayManage }: { tokens: readonly TokenView[]; mayManage: boolean }) {
  if (tokens.length === 0)
    return html`<${Empty} icon="tokens" title="No tokens besides the main one">
      <p>Make one for each script, monitor or app: you can revoke it without touching the others.</p>
    <//>`
  return html`
    <${Table}
      caption="Tokens of programs"
      columns=${columns<TokenView>([
        { title: 'Label', cell: ({ label }) => label ?? html`<span class="quiet">without a label</span>` },
        {
          title: 'Scopes',
          cell: ({ scopes }) =>
            html`<span class="actions"
              >${scopes.map((scope) => html`<${Badge} key=${scope} tone="accent">${scope}<//>`)}</span
            >`
        },
        { title: 'Made', cell: ({ created_at: at }) => html`<${When} at=${at}>${dateTime(at)}<//>` },
        { title: 'Id', cell: ({ id }) => html`<${Hash} text=${id} what="token's id" />` },
        {
          title: 'Actions',
          isHidden: true,
          cell: (token) =>
            html`<div class="actions">
              <${Button}
                kind="small danger"
                icon="trash"
                disabled=${!mayManage}
                label="Revoke ${token.label ?? token.id}"
                onClick=${() => revoke(token)}
                >Revoke<//
              >
            </div>`
        }
      ])}
      rows=${tokens}
      keyOf=${({ id }: TokenView) => id}
    />
  `
}

const Main = ({ mayManage, onRotated }: { mayManage: boolean; onRotated: (token: string | undefined) => void }) => html`
  <${Card} title="The main token">
    <div class="stack">
      <p>It may do everything. The data directory has it in the file <code>access_token</code>.</p>
      <p class="quiet">Replace it when somebody else may have seen it: the old one stops at once.</p>
      <div>
        <${Button} kind="danger" icon="renew" disabled=${!mayManage} onClick=${async () => onRotated(await rotate())}>
          Replace the main token…
        <//>
      </div>
    </div>
  <//>
`

export const view: View = { path: '/tokens', title: 'Tokens', icon: 'tokens', View }
