import type { Explanation } from '../lib/api.ts'
import { h, html, useState } from '../lib/html.ts'
import { Problem, reasonOf } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { go, to, type ViewProps } from '../lib/router.ts'
import { Peers, Picture } from '../lookup/picture.ts'
import { Own, Record, useReveal } from '../lookup/record.ts'
import { Steps, Verdict } from '../lookup/verdict.ts'
import { VerifyHere } from '../lookup/verify-here.ts'
import { isDid } from '../lookup/words.ts'
import { readName, suffixOf } from '../names/words.ts'
import { Button, Card, Empty, LinkButton, Notice, Page, waiting } from '../parts/basics.ts'
import { AskForm } from '../parts/fields.ts'

const LEAD = 'Who owns a name, what it holds, and why this daemon believes that.'
const HINT = 'Looking a name up shows your interest to peers. To claim a free name, register it directly.'

export function View({ params: { name } }: ViewProps) {
  const path = name === undefined ? null : (`/api/explain/${encodeURIComponent(name)}` as const)
  const { data, error, isLoading } = useResource(path, { every: Infinity })
  const zone = useResource('/api/dns', { every: Infinity }).data?.zone
  const ask = (text: string) => {
    if (text === '') throw new Error('Type a name such as alice.chronym, or a DID.')
    go(isDid(text) ? to('identities', text) : to('lookup', readName(text, suffixOf(zone))?.name ?? text))
  }
  return html`
    <${Page} title="Look up" lead=${LEAD} />
    <div class="stack">
      <${Card}>
        ${h(AskForm, {
          label: 'Name or DID',
          hint: HINT,
          placeholder: 'alice.chronym',
          start: name,
          button: 'Look up',
          isBusy: isLoading,
          ask
        })}
      <//>
      ${
        name === undefined || path === null
          ? html`<${Empty} icon="lookup" title="Why do you believe that?">
              <p>Ask for a name. You see the peers around it, who said what, and the rule that decided.</p>
            <//>`
          : data !== undefined
            ? h(Explained, { asked: name, explanation: data, error, path, key: name })
            : error !== undefined
              ? trouble(name, error, path)
              : waiting(`Asking the peers around ${name}…`)
      }
    </div>
  `
}

interface ExplainedProps {
  /** The name, perhaps with a check code, which `explanation.name` is without. */
  readonly asked: string
  readonly explanation: Explanation
  readonly error: Error | undefined
  readonly path: string
}

function Explained({ asked, explanation, error, path }: ExplainedProps) {
  const [marked, onMark] = useState<number>()
  const { name, resolves, own } = explanation
  const reveal = useReveal(resolves === null ? null : asked)
  const actions = h(
    Button,
    { kind: 'small', icon: 'renew', onClick: () => refresh(path, `/api/resolve/${asked}`) },
    'Ask again'
  )
  return html`
    ${error && html`<${Notice} tone="warn" title="This answer is from before">${error.message}<//>`}
    ${h(Verdict, { asked, explanation, actions })}
    <${Card} title="The peers around the name">
      <div class="picture-and-steps">${h(Picture, { explanation, marked, onMark })} ${h(Steps, { explanation })}</div>
      ${h(Peers, { explanation, marked, onMark })}
    <//>
    ${own && h(Own, { own, name })}
    ${resolves !== null && [h(Record, { reveal, name }), h(VerifyHere, { reveal: reveal.data, name: asked })]}
  `
}

/** What is not a name of this network, and a network that does not answer. */
function trouble(name: string, error: Error, path: string) {
  const code = error instanceof Problem ? error.code : undefined
  const tone = code?.startsWith('SVC-NAM') ? 'bad' : 'warn'
  const actions = [
    h(Button, { kind: 'small', onClick: () => refresh(path) }, 'Try again'),
    code !== undefined && h(LinkButton, { kind: 'small', href: `/errors/${code}` }, `What ${code} means`)
  ]
  return h(Notice, { tone, title: `${name} cannot be explained`, actions }, reasonOf(error))
}
