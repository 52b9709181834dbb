import type { ConfigFieldView } from '../lib/api.ts'
import { html, useState } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import type { View } from '../lib/router.ts'
import { plural } from '../lib/words.ts'
import { Badge, Card, Empty, Loaded, Page } from '../parts/basics.ts'
import { CheckField, TextField } from '../parts/fields.ts'
import { FieldRow } from '../settings/field-row.ts'
import { found, sectionsOf, SOURCES } from '../settings/fields.ts'

const LEAD = 'Every field of the configuration, where its value comes from, and how it changes.'
const MEANINGS: Readonly<Record<ConfigFieldView['source'], string>> = {
  default: 'nobody has set it',
  file: 'config.toml sets it',
  environment: 'a variable sets it',
  flag: 'an argument of chronymd sets it',
  'run time': 'changed while the daemon runs; kept until it is taken back'
}

function View() {
  const fields = useResource('/api/config/fields', { every: 60_000, on: ['mode'] })
  return html`
    <${Page} title="Settings" lead=${LEAD} />
    <${Loaded} of=${fields}>${(all: ConfigFieldView[]) => html`<${Settings} all=${all} />`}<//>
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
          <${TextField}
            label="Search"
            type="search"
            value=${search}
            placeholder="peers, log, CHRONYM_PORT"
            onInput=${setSearch}
          />
          <${CheckField} label="Without defaults" value=${isSetOnly} onChange=${setSetOnly} />
        </div>
        <p class="hint" role="status">
          ${plural(shown.length, 'field')} of ${all.length}${changed > 0 && `; ${changed} set at run time`}
        </p>
        <details class="more">
          <summary>Where values come from</summary>
          <ul class="stack sources">
            ${(Object.entries(SOURCES) as [ConfigFieldView['source'], (typeof SOURCES)['file']][]).map(
              ([source, [word, tone]]) =>
                html`<li key=${source}><${Badge} tone=${tone}>${word}<//> ${MEANINGS[source]}</li>`
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
              ${fields.map((field) => html`<${FieldRow} key=${field.field} field=${field} />`)}
            </ul>
          <//>`
      )}
    </div>
  `
}

export const view: View = { path: '/settings', title: 'Settings', icon: 'settings', View }
