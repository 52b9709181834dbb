import type { ConfigFieldView } from '../lib/api.ts'
import { html, useState } from '../lib/html.ts'
import { Problem, reasonOf } from '../lib/http.ts'
import { Button } from '../parts/basics.ts'
import { CheckField, SelectField, TextField } from '../parts/fields.ts'
import { useAct } from '../parts/act.ts'
import { save } from './acts.ts'
import { controlOf, editText, errorOf, parseEdit } from './fields.ts'

/** The editor of a field that may change while the daemon runs. What is wrong is said beside it. */
export function Edit({ field, onClose }: { field: ConfigFieldView; onClose: () => void }) {
  const { field: name, value, kind, choices } = field
  const [text, setText] = useState(editText(value))
  const [error, setError] = useState<string>()
  const [run, isBusy] = useAct((trouble) =>
    setError(errorOf(name, trouble instanceof Problem ? trouble.errors : []) ?? reasonOf(trouble))
  )
  const edit = (next: string) => {
    setText(next)
    setError(undefined)
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const parsed = parseEdit(field, text)
    if (parsed.error !== undefined) {
      setError(parsed.error)
      return
    }
    void run(async () => {
      if (await save(field, parsed.value)) onClose()
    })
  }
  const control = {
    select: () =>
      html`<${SelectField} label=${name} error=${error} value=${text} options=${choices} onChange=${edit} />`,
    switch: () =>
      html`<${CheckField}
        label=${`${name} is on`}
        value=${text === 'true'}
        onChange=${(isOn: boolean) => edit(String(isOn))}
      />`,
    list: () =>
      html`<${TextField} label=${name} hint="One a line." error=${error} value=${text} lines=${4} onInput=${edit} />`,
    number: () => html`<${TextField} label=${name} error=${error} value=${text} inputmode="decimal" onInput=${edit} />`,
    text: () => html`<${TextField} label=${name} error=${error} value=${text} onInput=${edit} />`
  }[controlOf(field)]
  return html`
    <form class="setting-more stack" onSubmit=${submit}>
      ${control()} ${kind === 'boolean' && error && html`<p class="field-error">${error}</p>`}
      <div class="actions">
        <${Button} kind="main small" type="submit" busy=${isBusy}>Save<//>
        <${Button} kind="small" onClick=${onClose}>Cancel<//>
        <span class="hint">It takes effect at once and stays after a restart.</span>
      </div>
    </form>
  `
}
