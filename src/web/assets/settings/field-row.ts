import type { ConfigFieldView } from '../lib/api.ts'
import { html, useState } from '../lib/html.ts'
import { post, Problem, reasonOf, remove } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { toast, useAct } from '../parts/act.ts'
import { Badge, Button, Copy } from '../parts/basics.ts'
import { ask } from '../parts/dialog.ts'
import { CheckField, SelectField, TextField } from '../parts/fields.ts'
import {
  changeQuestion,
  controlOf,
  editText,
  elsewhere,
  errorOf,
  parseEdit,
  patchOf,
  shownText,
  SOURCES
} from './fields.ts'

/** One field: what it is for, its value and its source, and how to change it. */
export function FieldRow({ field }: { field: ConfigFieldView }) {
  const [isOpen, setOpen] = useState(false)
  const mayChange = useMay('admin')
  const { field: name, value, source, changeable, help, otherwise } = field
  const [word, tone] = SOURCES[source]
  return html`
    <li class="setting" id=${`setting-${name}`}>
      <div class="setting-line">
        <div class="setting-about"><code class="setting-name">${name}</code><span class="quiet">${help}</span></div>
        <div class="setting-value">
          <span class=${isEmpty(value) ? 'quiet' : 'setting-text'}>${shownText(value)}</span>
          <${Badge} tone=${tone}>${word}<//>
          ${
            otherwise &&
            html`<span class="hint">otherwise ${shownText(otherwise.value)} (${SOURCES[otherwise.source][0]})</span>`
          }
        </div>
        <div class="actions">
          ${otherwise && html`<${Button} kind="small" disabled=${!mayChange} label="Take back ${name}" onClick=${() => takeBack(field, otherwise.value)}>Take back<//>`}
          <${Button}
            kind="small"
            icon=${changeable ? 'edit' : 'info'}
            aria-expanded=${String(isOpen)}
            disabled=${changeable && !mayChange}
            label=${changeable ? `Change ${name}` : `With a restart: how to change ${name}`}
            onClick=${() => setOpen(!isOpen)}
            >${changeable ? 'Change' : 'With a restart'}<//
          >
        </div>
      </div>
      ${isOpen && (changeable ? html`<${Edit} field=${field} onClose=${() => setOpen(false)} />` : html`<${Elsewhere} field=${field} />`)}
    </li>
  `
}

const isEmpty = (value: unknown): boolean => value === '' || (Array.isArray(value) && value.length === 0)

/** A field that needs a restart. */
function Elsewhere({ field }: { field: ConfigFieldView }) {
  const { toml, flag, environment } = elsewhere(field)
  return html`
    <div class="setting-more stack">
      <p>It changes with a restart of the daemon, by any one of:</p>
      <dl class="facts">
        <div>
          <dt>config.toml</dt>
          <dd class="row">
            <pre>${toml}</pre>
            <${Copy} text=${toml} what="lines" />
          </dd>
        </div>
        <div>
          <dt>Environment</dt>
          <dd><code>${environment}</code></dd>
        </div>
        <div>
          <dt>Argument</dt>
          <dd><code>${flag}</code></dd>
        </div>
      </dl>
    </div>
  `
}

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

const changed = () => refresh('/api/config', '/api/network-status', '/api/names')

/** True once saved; false where the person decides against it. */
export async function save({ field, value }: ConfigFieldView, next: unknown): Promise<boolean> {
  const question = changeQuestion(field, value, next)
  if (question !== null && !(await ask(question))) return false
  await post('/api/config', patchOf(field, next))
  await changed()
  toast(`${field} is now ${shownText(next)}.`)
  return true
}

export async function takeBack({ field, value }: ConfigFieldView, otherwise: unknown): Promise<void> {
  const question = changeQuestion(field, value, otherwise)
  if (question !== null && !(await ask(question))) return
  await remove(`/api/config/${encodeURIComponent(field)}`)
  await changed()
  toast(`${field} is ${shownText(otherwise)} again.`)
}
