import type { TokenView } from '../lib/api.ts'
import { h, html, useState } from '../lib/html.ts'
import { get, post, remove } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { logIn, useMay } from '../lib/session.ts'
import { toast } from '../parts/act.ts'
import { Badge, Button, Card, Empty, Hash, loaded, Notice, Page, When } from '../parts/basics.ts'
import { ask } from '../parts/dialog.ts'
import { table } from '../parts/table.ts'
import { NewToken, SCOPES, Secret, type Made } from '../tokens/new-token.ts'

const LEAD = 'Programs and people reach this daemon with a token. Give each one its own, with no more than it needs.'

export function View() {
  const tokens = useResource('/api/tokens', { every: 30_000 })
  const disabled = !useMay('admin')
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<Made>()
  const replace = async () => {
    const token = await rotate()
    if (token !== undefined) setMade({ token, isMain: true })
  }
  const make = h(Button, { kind: 'main', icon: 'plus', disabled, onClick: () => setMaking(true) }, 'New token')
  return html`
    <${Page} title="Tokens" lead=${LEAD} actions=${make} />
    <div class="stack">
      ${disabled && html`<${Notice}>The token of this session lacks the scope "admin": it changes no tokens.<//>`}
      <${Card} title="Tokens of programs">${loaded(tokens, (all) => tokenList(all, disabled))}<//>
      <div class="grid">
        <${Card} title="The main token">
          <div class="stack">
            <p>It may do everything. The data directory has it in the file <code>access_token</code>.</p>
            <p class="quiet">Replace it when somebody else may have seen it: the old one stops at once.</p>
            <div>
              ${h(Button, { kind: 'danger', icon: 'renew', disabled, onClick: replace }, 'Replace the main token…')}
            </div>
          </div>
        <//>
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
      h(NewToken, {
        onClose: () => setMaking(false),
        onMade: (token) => {
          setMaking(false)
          setMade(token)
        }
      })
    }
    ${made && h(Secret, { key: made.token, made, onClose: () => setMade(undefined) })}
  `
}

function tokenList(tokens: readonly TokenView[], disabled: boolean) {
  if (tokens.length === 0)
    return html`<${Empty} icon="tokens" title="No tokens besides the main one">
      <p>Make one for each script, monitor or app: you can revoke it without touching the others.</p>
    <//>`
  return table({
    caption: 'Tokens of programs',
    rows: tokens,
    keyOf: ({ id }) => id,
    columns: [
      { title: 'Label', cell: ({ label }) => label ?? html`<span class="quiet">without a label</span>` },
      {
        title: 'Scopes',
        cell: ({ scopes }) =>
          html`<span class="actions">${scopes.map((scope) => h(Badge, { key: scope, tone: 'accent' }, scope))}</span>`
      },
      { title: 'Made', cell: ({ created_at: at }) => h(When, { at }) },
      { title: 'Id', cell: ({ id }) => h(Hash, { text: id, what: "token's id" }) }
    ],
    actionsOf: (token) => {
      const label = `Revoke ${token.label ?? token.id}`
      const onClick = () => revoke(token)
      return h(Button, { kind: 'small danger', icon: 'trash', disabled, label, onClick }, 'Revoke')
    }
  })
}

async function revoke({ id, label, scopes }: TokenView): Promise<void> {
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
async function rotate(): Promise<string | undefined> {
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
