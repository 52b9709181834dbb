import { html, useState } from '../lib/html.ts'
import { post, reasonOf } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { plural } from '../lib/words.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { Modal } from '../parts/dialog.ts'
import { SelectField } from '../parts/fields.ts'
import { toast } from '../parts/toasts.ts'

/** Makes an identity, which the daemon signs. */
export function Create({ onClose, onDone }: { onClose: () => void; onDone: (did: string) => void }) {
  const names = (useResource('/api/names').data ?? []).filter(({ state }) => state === 'live' || state === 'grace')
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const [run, isBusy] = useAct((trouble) => setError(reasonOf(trouble)))
  const submit = (event: Event) => {
    event.preventDefault()
    setError(undefined)
    return run(async () => {
      const { did, stored_by: stored, of } = await post('/api/kid', name === '' ? {} : { name })
      await refresh('/api/identities', '/api/resolve-kid')
      toast(`The identity is at ${stored} of ${plural(of, 'peer')}.`)
      onDone(did)
    })
  }
  return html`
    <${Modal} title="Make an identity" onClose=${onClose}>
      <form class="stack" onSubmit=${submit}>
        <${SelectField}
          label="Carried by"
          value=${name}
          options=${[['', 'work of this machine'], ...names.map(({ name: each }) => each)]}
          error=${error}
          onChange=${(chosen: string) => {
            setName(chosen)
            setError(undefined)
          }}
          data-focus
          hint="A name carries it for as long as you have the name. Without one, peers take a stamp, which costs work."
        />
        <p class="quiet">
          The daemon signs it with keys of your seed. <${Command} words="kid create --help" /> tells of services and
          recovery keys.
        </p>
        <div class="answers">
          <${Button} onClick=${onClose}>Cancel<//>
          <${Button} kind="main" type="submit" busy=${isBusy}>Make it<//>
        </div>
      </form>
    <//>
  `
}
