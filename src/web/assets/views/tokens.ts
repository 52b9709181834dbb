import type { NewTokenBody, TokenView } from '../lib/api.ts'
import { html, useState } from '../lib/html.ts'
import { get, post, remove } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import type { View } from '../lib/router.ts'
import { logIn, useMay } from '../lib/session.ts'
import { dateTime } from '../lib/words.ts'
import { toast } from '../parts/act.ts'
import { Badge, Button, Card, Empty, Hash, Loaded, Notice, Page, When } from '../parts/basics.ts'
import { ask } from '../parts/dialog.ts'
import { columns, Table } from '../parts/table.ts'
import { type Made, NewToken, SCOPES, Secret } from '../tokens/new-token.ts'

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

export async function revoke({ id, label, scopes }: TokenView): Promise<void> {
  const isSure = await ask({
    title: `Revoke ${label === null ? 'this token' : `"${label}"`}?`,
    lines: [`A program that uses it is refused at once. Its scopes: ${scopes.join(', ')}.`],
    yes: 'Revoke',
    no: 'Keep it',
    isDanger: true
  })
  if (!isSure) return
  await remove(`/api/tokens/${encodeURIComponent(id)}`)
  await refresh('/api/tokens')
  toast('The token is revoked.')
}

/** The new main token, undefined where the person decides against it. */
export async function rotate(): Promise<string | undefined> {
  const isSure = await ask({
    title: 'Replace the main token?',
    lines: [
      'The old one stops at once, for every program that uses it.',
      'So do other sessions that it opened; this one goes on. The new token is shown once, and is in its file.'
    ],
    yes: 'Replace it',
    no: 'Keep it',
    isDanger: true
  })
  if (!isSure) return undefined
  const { token } = await post('/api/tokens/rotate')
  // A session that the old one opened has ended with it, and the new token could not be shown.
  const { scopes } = await get('/session')
  if (scopes.length === 0) await logIn(token)
  return token
}
