import type { ConfigFieldView } from '../lib/api.ts'
import { h, html, useState } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { plural } from '../lib/words.ts'
import { Badge, Card, Empty, loaded, Page } from '../parts/basics.ts'
import { CheckField, TextField } from '../parts/fields.ts'
import { FieldRow } from '../settings/field-row.ts'
import { found, sectionsOf, SOURCES } from '../settings/fields.ts'

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
