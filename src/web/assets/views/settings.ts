import type { ConfigFieldView } from '../lib/api.ts'
import { h, html, useRef, useState } from '../lib/html.ts'
import { post, Problem, reasonOf, remove } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { plural } from '../lib/words.ts'
import {
  changeQuestion,
  controlOf,
  editText,
  errorOf,
  found,
  parseEdit,
  patchOf,
  sectionsOf,
  shownText,
  SOURCES,
  tomlOf
} from '../settings/fields.ts'
import { toast, useForm } from '../parts/act.ts'
import { Badge, Button, Card, Copy, Empty, facts, loaded, Page } from '../parts/basics.ts'
import { ask } from '../parts/dialog.ts'
import { CheckField, SelectField, TextField } from '../parts/fields.ts'

const LEAD = 'Every field of the configuration, where its value comes from, and how it changes.'

export function View() {
  const fields = useResource('/api/config/fields', { every: 60_000, on: ['mode'] })
  return html`
    <${Page} title="Settings" lead=${LEAD} />
    ${loaded(fields, (all) => h(Settings, { all }))}
  `
}

function Settings({ all }: { all: readonly ConfigFieldView[] }) {
  const [search, setSearch] = useState('')
  const [isSetOnly, setSetOnly] = useState(false)
  const shown = found(all, search).filter(({ source }) => !isSetOnly || source !== 'default')
  const changed = all.filter(({ source }) => source === 'run time').length
  return html`
    <div class="stack">
      <${Card}>
        <div class="settings-search">
          ${h(TextField, {
            label: 'Search',
            type: 'search',
            value: search,
            placeholder: 'peers, log, CHRONYM_PORT',
            onInput: setSearch
          })}
          ${h(CheckField, { label: 'Without defaults', value: isSetOnly, onChange: setSetOnly })}
        </div>
        <p class="hint" role="status">
          ${plural(shown.length, 'field')} of ${all.length}${changed > 0 && `; ${changed} set at run time`}
        </p>
        <details class="more">
          <summary>Where values come from</summary>
          <ul class="stack sources">
            ${Object.values(SOURCES).map(
              ({ word, tone, meaning }) => html`<li key=${word}><${Badge} tone=${tone}>${word}<//> ${meaning}</li>`
            )}
          </ul>
          <p class="hint">A flag wins over the environment, that over a change at run time, that over the file.</p>
        </details>
      <//>
      ${shown.length === 0 && html`<${Empty} icon="settings" title="No field fits">Search for another word.<//>`}
      ${sectionsOf(shown).map(
        ({ id, title, fields }) =>
          html`<${Card} key=${id} title=${title}>
            <ul class="settings">
              ${fields.map((field) => h(FieldRow, { key: field.field, field }))}
            </ul>
          <//>`
      )}
    </div>
  `
}

/** One field: what it is for, its value and its source, and how to change it. */
function FieldRow({ field }: { field: ConfigFieldView }) {
  const [isOpen, setOpen] = useState(false)
  const mayChange = useMay('admin')
  const { field: name, value, source, changeable, help, otherwise } = field
  const { word, tone } = SOURCES[source]
  const isEmpty = value === '' || (Array.isArray(value) && value.length === 0)
  const row = useRef<HTMLLIElement>(null)
  const close = () => {
    row.current?.querySelector<HTMLElement>('[aria-expanded]')?.focus()
    setOpen(false)
  }
  return html`
    <li class="setting" id=${`setting-${name}`} ref=${row}>
      <div class="setting-line">
        <div class="setting-about"><code class="setting-name">${name}</code><span class="quiet">${help}</span></div>
        <div class="setting-value">
          <span class=${isEmpty ? 'quiet' : 'setting-text'}>${shownText(value)}</span>
          <${Badge} tone=${tone}>${word}<//>
          ${
            otherwise &&
            html`<span class="hint">otherwise ${shownText(otherwise.value)} (${SOURCES[otherwise.source].word})</span>`
          }
        </div>
        <div class="actions">
          ${
            otherwise &&
            h(
              Button,
              {
                kind: 'small',
                disabled: !mayChange,
                label: `Take back ${name}`,
                onClick: () => takeBack(field, otherwise.value)
              },
              'Take back'
            )
          }
          ${h(
            Button,
            {
              kind: 'small',
              icon: changeable ? 'edit' : 'info',
              'aria-expanded': String(isOpen),
              disabled: changeable && !mayChange,
              label: changeable ? `Change ${name}` : `With a restart: how to change ${name}`,
              onClick: () => setOpen(!isOpen)
            },
            changeable ? 'Change' : 'With a restart'
          )}
        </div>
      </div>
      ${isOpen && (changeable ? h(Edit, { field, onClose: close }) : elsewhere(field))}
    </li>
  `
}

/** A field that needs a restart. */
function elsewhere(field: ConfigFieldView) {
  const toml = tomlOf(field)
  return html`
    <div class="setting-more stack">
      <p>It changes with a restart of the daemon, by any one of:</p>
      ${facts([
        [
          'config.toml',
          html`<div class="row">
            <pre>${toml}</pre>
            <${Copy} text=${toml} what="lines" />
          </div>`
        ],
        ['Environment', html`<code>${field.environment}</code>`],
        ['Argument', html`<code>${field.flag}</code>`]
      ])}
    </div>
  `
}

/** The editor of a field that may change while the daemon runs. What is wrong is said beside it. */
function Edit({ field, onClose }: { field: ConfigFieldView; onClose: () => void }) {
  const { field: name, value, kind, choices } = field
  const [text, setText] = useState(editText(value))
  const { error, isBusy, clearing, onSubmit } = useForm(
    async () => {
      if (await save(field, parseEdit(field, text))) onClose()
    },
    (trouble) => errorOf(name, trouble instanceof Problem ? trouble.errors : []) ?? reasonOf(trouble)
  )
  const edit = clearing(setText)
  const line = { label: name, error, value: text, onInput: edit }
  const control = {
    select: () => h(SelectField, { label: name, error, value: text, options: choices ?? [], onChange: edit }),
    switch: () =>
      h(CheckField, { label: `${name} is on`, value: text === 'true', onChange: (isOn) => edit(String(isOn)) }),
    list: () => h(TextField, { ...line, hint: 'One a line.', lines: 4 }),
    number: () => h(TextField, { ...line, inputmode: 'decimal' }),
    text: () => h(TextField, line)
  }[controlOf(field)]
  return html`
    <form class="setting-more stack" onSubmit=${onSubmit}>
      ${control()} ${kind === 'boolean' && error && html`<p class="field-error">${error}</p>`}
      <div class="actions">
        ${h(Button, { kind: 'main small', type: 'submit', busy: isBusy }, 'Save')}
        ${h(Button, { kind: 'small', onClick: onClose }, 'Cancel')}
        <span class="hint">It takes effect at once and stays after a restart.</span>
      </div>
    </form>
  `
}

const changed = () => refresh('/api/config', '/api/network-status', '/api/names')

async function isAgreed({ field, value }: ConfigFieldView, next: unknown): Promise<boolean> {
  const question = changeQuestion(field, value, next)
  return question === null || ask(question)
}

/** True once saved; false where the person decides against it. */
async function save(field: ConfigFieldView, next: unknown): Promise<boolean> {
  if (!(await isAgreed(field, next))) return false
  await post('/api/config', patchOf(field.field, next))
  await changed()
  toast(`${field.field} is now ${shownText(next)}.`)
  return true
}

async function takeBack(field: ConfigFieldView, otherwise: unknown): Promise<void> {
  if (!(await isAgreed(field, otherwise))) return
  await remove(`/api/config/${encodeURIComponent(field.field)}`)
  await changed()
  toast(`${field.field} is ${shownText(otherwise)} again.`)
}
