import type { OwnedNameView } from '../lib/api.ts'
import { html, useLayoutEffect, useRef, useState } from '../lib/html.ts'
import { replace, to } from '../lib/router.ts'
import { useMay } from '../lib/session.ts'
import { plural } from '../lib/words.ts'
import { Badge, Button, Card, Empty, Notice, type Tone } from '../parts/basics.ts'
import { Changes, type Difference } from '../parts/dialog.ts'
import { RecordForm, Row } from './record.ts'
import {
  changeCount,
  difference,
  FIRST_ROW,
  isBlank,
  isDraft,
  isUnchanged,
  type RecordRow,
  recordsOf,
  rowOf,
  zoneState,
  type ZoneWord
} from './records.ts'
import { type Editor, useEditor } from './use-editor.ts'

const TONES: Readonly<Record<ZoneWord, Tone>> = {
  published: 'good',
  draft: 'warn',
  'unsaved edits': 'warn',
  'not known': 'bad',
  'no zone': 'quiet'
}

/** What publishing would change. */
function Preview({ changes }: { changes: Difference | undefined }) {
  if (changes === undefined || isUnchanged(changes)) return null
  const { added, removed } = changes
  return html`
    <details class="preview">
      <summary>
        Publishing adds ${plural(added.length, 'record')} and removes ${plural(removed.length, 'record')}
      </summary>
      <${Changes} changes=${changes} label="Difference to the published zone" />
    </details>
  `
}

/** `changes`: undefined while it is not known what is published. */
function ChangeCount({ changes }: { changes: Difference | undefined }) {
  const number = changes === undefined ? undefined : changeCount(changes)
  return html`<p class="change-count" role="status">
    ${
      number === 0
        ? html`<span class="quiet">All of it is published</span>`
        : number !== undefined && html`<${Badge} tone="warn">${plural(number, 'unpublished change')}<//>`
    }
  </p>`
}

/**
 * Which record is open as a form: one at a time. A new one, the only one while it is blank, and the first one that the
 * daemon refuses open by themselves.
 */
function useOpenRow(frame: { current: HTMLElement | null }, { rows, errors }: Pick<Editor, 'rows' | 'errors'>) {
  const [open, setOpen] = useState<number>()
  const focus = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    const first = errors.isRefused ? rows[Math.min(...errors.byRow.keys())] : undefined
    if (first === undefined) return
    setOpen(first.id)
    focus.current = '[aria-invalid="true"]'
  }, [errors])
  useLayoutEffect(() => {
    const target = focus.current && frame.current?.querySelector<HTMLElement>(focus.current)
    if (!target) return
    focus.current = undefined
    target.focus()
  })
  const [only] = rows
  return {
    id: open ?? (only !== undefined && rows.length === 1 && isBlank(rowOf(only)) ? only.id : undefined),
    open(id: number): void {
      setOpen(id)
      focus.current = 'fieldset input'
    },
    /** `selector`: what takes the focus. */
    close(selector: string): void {
      setOpen(undefined)
      focus.current = selector
    }
  }
}

interface ZoneEditorProps {
  readonly name: string
  /** Undefined for a name that is being registered. */
  readonly owned: OwnedNameView | undefined
  /** Of the address: `add` and `value` are type and value of a record to begin with. */
  readonly query: Readonly<Record<string, string>>
}

export function ZoneEditor({ name, owned, query }: ZoneEditorProps) {
  const may = useMay('publish')
  const editor = useEditor(name)
  const { zone, published, rows, errors, said, failure, isBusy, isEdited } = editor
  const frame = useRef<HTMLFormElement>(null)
  const shown = useOpenRow(frame, editor)
  const isRead = zone !== undefined
  const { add, value = '' } = query as { add?: string; value?: string }
  useLayoutEffect(() => {
    if (!isRead || add === undefined) return
    shown.open(editor.add({ ...FIRST_ROW, type: add, value }))
    // A reload must not add it again.
    replace(to('names', name))
  }, [isRead, add])
  if (failure !== undefined)
    return html`<${Card} title="Zone"><${Notice} tone="bad" title="Not read">${failure.message}<//><//>`
  if (zone === undefined) return html`<${Card} title="Zone"><p class="quiet loading" role="status">Reading…</p><//>`

  const serials = { saved: owned?.serial ?? zone.serial, published: owned?.published_serial ?? 0 }
  const { word, text } = zoneState({ ...zone, ...serials, isEdited })
  const changes = published?.records && difference(published.records, recordsOf(rows.map((row) => rowOf(row))).records)
  const drop = (id: number) => {
    editor.drop(id)
    shown.close('.add-record')
  }
  const save = (event: Event) => {
    event.preventDefault()
    return editor.save()
  }
  return html`
    <${Card} title="Zone" actions=${html`<${Badge} role="status" tone=${TONES[word]}>${word}<//>`}>
      <p class="quiet">${text}</p>
      <form ref=${frame} onSubmit=${save} novalidate>
        ${
          rows.length === 0 &&
          html`<${Empty} icon="zone" title="No records"><p>Add the first one: an address, a text, an alias.</p><//>`
        }
        <ul class="zone" aria-label="Records">
          ${rows.map((row, index) => {
            const shared = { row, name, error: errors.byRow.get(index), disabled: !may, onDrop: () => drop(row.id) }
            return row.id === shown.id
              ? html`<li key=${row.id}>
                  <${RecordForm}
                    ...${shared}
                    onEdit=${(values: Partial<RecordRow>) => editor.edit(row.id, values)}
                    onClose=${() => shown.close('.add-record')}
                  />
                </li>`
              : html`<${Row} key=${row.id} ...${shared} onOpen=${() => shown.open(row.id)} />`
          })}
        </ul>
        ${errors.rest.map((message) => html`<p class="field-error" role="status">${message}</p>`)}
        <${Button}
          icon="plus"
          kind="add-record"
          disabled=${!may}
          onClick=${() => shown.open(editor.add({ ...FIRST_ROW }))}
          >Add a record<//
        >
        <${Preview} changes=${changes} />
        ${said.text !== '' && html`<${Notice} tone=${said.tone}>${said.text}<//>`}
        <p class="hidden" role="status">${said.tone === 'bad' ? '' : said.text}</p>
      </form>
    <//>
    <div class="zone-foot">
      <${ChangeCount} changes=${changes} />
      ${isEdited && html`<${Button} kind="plain" onClick=${editor.discardEdits}>Discard edits<//>`}
      ${
        isDraft({ ...zone, ...serials }) &&
        html`<${Button} kind="plain" disabled=${!may} onClick=${editor.discardDraft}>Discard draft<//>`
      }
      <${Button} disabled=${!may} busy=${isBusy} onClick=${editor.save}>Save draft<//>
      <${Button} kind="main" disabled=${!may || owned === undefined} busy=${isBusy} onClick=${editor.publish}
        >Publish<//
      >
    </div>
  `
}
