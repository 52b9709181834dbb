import { html, useLayoutEffect, useRef } from '../lib/html.js'
import { useMay } from '../lib/session.js'
import { plural } from '../lib/words.js'
import { Badge, Button, Card, Empty, Notice } from '../parts/basics.js'
import { Changes } from '../parts/dialog.js'
import { RecordForm } from './record.js'
import { difference, FIRST_ROW, isDraft, isUnchanged, recordsOf, rowOf, zoneState } from './records.js'
import { useEditor } from './use-editor.js'

const TONES = { published: 'good', draft: 'warn', 'unsaved edits': 'warn', 'not known': 'bad', 'no zone': 'quiet' }

/** What publishing would change, as one types. */
function Preview({ published, rows }) {
  if (published?.records === undefined) return null
  const changes = difference(published.records, recordsOf(rows.map(rowOf)).records)
  if (isUnchanged(changes)) return null
  const { added, removed } = changes
  return html`
    <details class="preview" open>
      <summary>
        Publishing adds ${plural(added.length, 'record')} and removes ${plural(removed.length, 'record')}
      </summary>
      <${Changes} changes=${changes} label="Difference to the published zone" />
    </details>
  `
}

/** `owned`: the name as GET /api/names has it; undefined for one that is being registered, or is not ours. */
export function ZoneEditor({ name, owned }) {
  const may = useMay('publish')
  const editor = useEditor(name)
  const { zone, published, rows, errors, said, failure, isBusy, isEdited } = editor
  const frame = useRef()
  const added = useRef()
  useLayoutEffect(() => {
    if (added.current === undefined) return
    added.current = undefined
    ;[...frame.current.querySelectorAll('fieldset')].at(-1)?.querySelector('input')?.focus()
  })
  useLayoutEffect(() => {
    if (errors.isRefused) frame.current?.querySelector('[aria-invalid="true"]')?.focus()
  }, [errors])
  if (failure !== undefined)
    return html`<${Card} title="Zone"><${Notice} tone="bad" title="Not read">${failure.message}<//><//>`
  if (zone === undefined) return html`<${Card} title="Zone"><p class="quiet loading" role="status">Reading…</p><//>`

  const serials = { saved: owned?.serial ?? zone.serial, published: owned?.published_serial ?? 0 }
  const { word, text } = zoneState({ ...zone, ...serials, isEdited })
  const drop = (id) => {
    const at = rows.findIndex((row) => row.id === id)
    editor.drop(id)
    const next = frame.current.querySelectorAll('fieldset')[at === rows.length - 1 ? at - 1 : at + 1]
    ;(next?.querySelector('input') ?? frame.current.querySelector('.add-record')).focus()
  }
  const save = (event) => {
    event.preventDefault()
    return editor.save()
  }
  return html`
    <${Card} title="Zone" actions=${html`<${Badge} role="status" tone=${TONES[word]}>${word}<//>`}>
      <p class="quiet">${text}</p>
      <form class="zone" ref=${frame} onSubmit=${save} novalidate>
        ${
          rows.length === 0 &&
          html`<${Empty} icon="zone" title="No records"><p>Add the first one: an address, a text, an alias.</p><//>`
        }
        ${rows.map(
          (row, index) =>
            html`<${RecordForm}
              key=${row.id}
              row=${row}
              name=${name}
              error=${errors.byRow.get(index)}
              disabled=${!may}
              onEdit=${(values) => editor.edit(row.id, values)}
              onDrop=${() => drop(row.id)}
            />`
        )}
        ${errors.rest.map((message) => html`<p class="field-error" role="status">${message}</p>`)}
        <${Button}
          icon="plus"
          kind="add-record"
          disabled=${!may}
          onClick=${() => (added.current = editor.add({ ...FIRST_ROW }))}
          >Add a record<//
        >
        <${Preview} published=${published} rows=${rows} />
        ${said.text !== '' && html`<${Notice} tone=${said.tone}>${said.text}<//>`}
        <div class="zone-foot">
          ${isEdited && html`<${Button} kind="plain" onClick=${editor.discardEdits}>Discard edits<//>`}
          ${
            isDraft({ ...zone, ...serials }) &&
            html`<${Button} kind="plain" disabled=${!may} onClick=${editor.discardDraft}>Discard draft<//>`
          }
          <${Button} type="submit" disabled=${!may} busy=${isBusy}>Save draft<//>
          <${Button} kind="main" disabled=${!may || owned === undefined} busy=${isBusy} onClick=${editor.publish}
            >Publish<//
          >
        </div>
        <p class="hidden" role="status">${said.tone === 'bad' ? '' : said.text}</p>
      </form>
    <//>
  `
}
