import type { NewTokenBody, TokenScope } from '../lib/api.ts'
import { html, useState } from '../lib/html.ts'
import { post, Problem, reasonOf } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/basics.ts'
import { Modal } from '../parts/dialog.ts'
import { CheckField, TextField } from '../parts/fields.ts'
import { SCOPES, useOf, USES } from './scopes.ts'

export function NewToken({ onClose, onMade }: { onClose: () => void; onMade: (made: NewTokenBody) => void }) {
  const [label, setLabel] = useState('')
  const [scopes, setScopes] = useState<readonly TokenScope[]>(['read'])
  const [error, setError] = useState<string>()
  const [run, isBusy] = useAct((trouble) =>
    setError((trouble instanceof Problem ? trouble.errors[0]?.message : undefined) ?? reasonOf(trouble))
  )
  const choose = (next: readonly TokenScope[]) => {
    setScopes(next)
    setError(undefined)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (scopes.length === 0) {
      setError('Choose at least one scope.')
      return
    }
    void run(async () => {
      const made = await post('/api/tokens', {
        scopes: [...scopes],
        ...(label.trim() !== '' && { label: label.trim() })
      })
      void refresh('/api/tokens')
      onMade(made)
    })
  }
  return html`
    <${Modal} title="New token" onClose=${onClose}>
      <form class="stack" onSubmit=${submit}>
        <${TextField}
          label="Label"
          hint="So that you know later which program has it."
          value=${label}
          maxlength="100"
          placeholder="prometheus"
          data-focus=${true}
          onInput=${setLabel}
        />
        <fieldset class="choices">
          <legend>What is it for?</legend>
          ${USES.map(
            ({ id, text, scopes: its }) =>
              html`<label class="check" key=${id}>
                <input type="radio" name="use" checked=${useOf(scopes) === id} onChange=${() => choose(its)} />
                <span>${text} <span class="hint">${its.join(', ')}</span></span>
              </label>`
          )}
        </fieldset>
        <details>
          <summary>Choose scopes</summary>
          <div class="stack more">
            ${(Object.entries(SCOPES) as [TokenScope, string][]).map(
              ([scope, text]) =>
                html`<${CheckField}
                  key=${scope}
                  label=${scope}
                  hint=${text}
                  value=${scopes.includes(scope)}
                  onChange=${(isOn: boolean) => choose(isOn ? [...scopes, scope] : scopes.filter((each) => each !== scope))}
                />`
            )}
          </div>
        </details>
        ${error && html`<p class="field-error" role="alert">${error}</p>`}
        <div class="answers">
          <${Button} onClick=${onClose}>Cancel<//>
          <${Button} kind="main" type="submit" busy=${isBusy}>Make it<//>
        </div>
      </form>
    <//>
  `
}
