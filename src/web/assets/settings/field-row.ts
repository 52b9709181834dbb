import type { ConfigFieldView } from '../lib/api.ts'
import { html, useState } from '../lib/html.ts'
import { useMay } from '../lib/session.ts'
import { Badge, Button, Copy } from '../parts/basics.ts'
import { Edit } from './edit.ts'
import { takeBack } from './acts.ts'
import { elsewhere, shownText, SOURCES } from './fields.ts'

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
