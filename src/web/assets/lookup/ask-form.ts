import { html, useEffect, useState } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { go, to } from '../lib/router.ts'
import { readName, suffixOf } from '../names/name-input.ts'
import { Button } from '../parts/basics.ts'
import { TextField } from '../parts/fields.ts'
import { isDid } from './words.ts'

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
