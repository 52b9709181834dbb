import type { Explanation } from '../lib/api.ts'
import { html, useEffect, useState } from '../lib/html.ts'
import { Problem, reasonOf } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { go, to, type View, type ViewProps } from '../lib/router.ts'
import { Peers, Picture } from '../lookup/picture.ts'
import { Own, Record, useReveal } from '../lookup/record.ts'
import { Steps, Verdict } from '../lookup/verdict.ts'
import { VerifyHere } from '../lookup/verify-here.ts'
import { isDid } from '../lookup/words.ts'
import { readName, suffixOf } from '../names/words.ts'
import { Button, Card, Empty, LinkButton, Notice, Page } from '../parts/basics.ts'
import { TextField } from '../parts/fields.ts'

const LEAD = 'Who owns a name, what it holds, and why this daemon believes that.'

function View({ params: { name } }: ViewProps) {
  const path = name === undefined ? null : (`/api/explain/${encodeURIComponent(name)}` as const)
  const explained = useResource(path, { every: Infinity })
  return html`
    <${Page} title="Look up" lead=${LEAD} />
    <div class="stack">
      <${Card}><${AskForm} name=${name} isBusy=${explained.isLoading} /><//>
      ${
        name === undefined
          ? html`<${Empty} icon="lookup" title="Why do you believe that?">
              <p>Ask for a name. You see the peers around it, who said what, and the rule that decided.</p>
            <//>`
          : explained.data !== undefined
            ? html`<${Explained}
                asked=${name}
                explanation=${explained.data}
                error=${explained.error}
                path=${path}
                key=${name}
              />`
            : explained.error !== undefined
              ? html`<${Trouble} name=${name} error=${explained.error} path=${path} />`
              : html`<p class="quiet loading" role="status">Asking the peers around ${name}…</p>`
      }
    </div>
  `
}

/** `asked`: the name, perhaps with a check code, which `explanation.name` is without. */
function Explained({
  asked,
  explanation,
  error,
  path
}: {
  asked: string
  explanation: Explanation
  error: Error | undefined
  path: string
}) {
  const [number, setNumber] = useState<number>()
  const { name, resolves } = explanation
  const reveal = useReveal(resolves === null ? null : asked)
  const again = html`<${Button} kind="small" icon="renew" onClick=${() => refresh(path, `/api/resolve/${asked}`)}
    >Ask again<//
  >`
  return html`
    ${error && html`<${Notice} tone="warn" title="This answer is from before">${error.message}<//>`}
    <${Verdict} asked=${asked} explanation=${explanation} actions=${again} />
    <${Card} title="The peers around the name">
      <div class="picture-and-steps">
        <${Picture} explanation=${explanation} marked=${number} onMark=${setNumber} />
        <${Steps} explanation=${explanation} />
      </div>
      <${Peers} explanation=${explanation} marked=${number} onMark=${setNumber} />
    <//>
    ${explanation.own && html`<${Own} own=${explanation.own} name=${name} />`}
    ${resolves !== null && html`<${Record} reveal=${reveal} name=${name} /><${VerifyHere} reveal=${reveal.data} name=${asked} />`}
  `
}

/** What is no name of this network, and a network that does not answer. */
const Trouble = ({ name, error, path }: { name: string; error: Error; path: string }) => html`
  <${Notice}
    tone=${error instanceof Problem && error.code.startsWith('SVC-NAM') ? 'bad' : 'warn'}
    title="${name} cannot be explained"
    actions=${html`<${Button} kind="small" onClick=${() => refresh(path)}>Try again<//>
      ${error instanceof Problem && html`<${LinkButton} kind="small" href="/errors/${error.code}">What ${error.code} means<//>`}`}
  >
    ${reasonOf(error)}
  <//>
`

export const view: View = { path: '/lookup/:name?', title: 'Look up', icon: 'lookup', View }

const HINT = 'Looking a name up shows your interest to peers. To claim a free name, register it directly.'

export function AskForm({ name = '', isBusy }: { name?: string; isBusy: boolean }) {
  const [text, setText] = useState(name)
  const [error, setError] = useState<string>()
  const zone = useResource('/api/dns', { every: Infinity }).data?.zone
  useEffect(() => setText(name), [name])
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() === '') setError('Type a name such as alice.chronym, or a DID.')
    else if (isDid(text)) go(to('identities', text.trim()))
    else go(to('lookup', readName(text, suffixOf(zone))?.name ?? text.trim()))
  }
  return html`
    <form class="ask" onSubmit=${submit} role="search">
      <${TextField}
        label="Name or DID"
        hint=${HINT}
        error=${error}
        value=${text}
        placeholder="alice.chronym"
        onInput=${(typed: string) => {
          setText(typed)
          setError(undefined)
        }}
      />
      <${Button} kind="main" type="submit" icon="lookup" busy=${isBusy}>Look up<//>
    </form>
  `
}
