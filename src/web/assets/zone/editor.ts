import type { OwnedNameView } from '../lib/api.ts'
import { h, html, useLayoutEffect, useRef, useState } from '../lib/html.ts'
import { replace, to } from '../lib/router.ts'
import { useMay } from '../lib/session.ts'
import { plural } from '../lib/words.ts'
import { Badge, Button, Card, Empty, Notice, waiting, type Tone } from '../parts/basics.ts'
import { Changes, type Difference } from '../parts/dialog.ts'
import { RecordForm, Row } from './record.ts'
import {
  changeCount,
  difference,
  FIRST_ROW,
  isBlank,
  isDraft,
  isUnchanged,
  recordsOf,
  rowOf,
  zoneState,
  type ZoneWord
} from './records.ts'
import { useEditor, type Editor } from './use-editor.ts'

const TONES: Readonly<Record<ZoneWord, Tone>> = {
  published: 'good',
  draft: 'warn',
  'unsaved edits': 'warn',
  'not known': 'bad',
  'no zone': 'quiet'
}

/** What publishing would change. */
const preview = (changes: Difference) => html`
  <details class="preview">
    <summary>
      Publishing adds ${plural(changes.added.length, 'record')} and removes ${plural(changes.removed.length, 'record')}
    </summary>
    ${h(Changes, { changes, label: 'Difference to the published zone' })}
  </details>
`

const countOf = (changes: Difference) =>
  isUnchanged(changes)
    ? html`<span class="quiet">All of it is published</span>`
    : h(Badge, { tone: 'warn' }, plural(changeCount(changes), 'unpublished change'))

/**
 * Which record is open as a form: one at a time. A new one, the blank one of an empty zone, and the first one that the
 * daemon refuses open by themselves.
 */
function useOpenRow(frame: { current: HTMLElement | null }, { rows, errors }: Pick<Editor, 'rows' | 'errors'>) {
  const [shown, setShown] = useState<{ readonly id?: number; readonly focus?: string }>({})
  useLayoutEffect(() => {
    const first = errors.isRefused ? rows[Math.min(...errors.byRow.keys())] : undefined
    if (first !== undefined) setShown({ id: first.id, focus: '[aria-invalid="true"]' })
  }, [errors])
  useLayoutEffect(() => {
    const [only] = rows
    if (only === undefined || rows.length > 1 || !isBlank(rowOf(only))) return
    setShown((now) => (now.id === only.id ? now : { id: only.id }))
  }, [rows])
  // Once for each time that a row opens or closes: the next key must not move the focus.
  useLayoutEffect(() => {
    if (shown.focus !== undefined) frame.current?.querySelector<HTMLElement>(shown.focus)?.focus()
  }, [shown])
  return {
    id: shown.id,
    open: (id: number): void => setShown({ id, focus: 'fieldset input' }),
    close: (): void => setShown({ focus: '.add-record' })
  }
}

interface ZoneEditorProps {
  readonly name: string
  /** Undefined for a name that is being registered. */
  readonly owned: OwnedNameView | undefined
  /** The address's query: `add` and `value` are type and value of a record to begin with. */
  readonly query: Readonly<Record<string, string>>
}

export function ZoneEditor({ name, owned, query }: ZoneEditorProps) {
  const disabled = !useMay('publish')
  const editor = useEditor(name)
  const { zone, published, rows, errors, said, failure, isBusy: busy, isEdited } = editor
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
    return h(Card, { title: 'Zone' }, h(Notice, { tone: 'bad', title: 'Not read' }, failure.message))
  if (zone === undefined) return h(Card, { title: 'Zone' }, waiting('Reading…'))

  const serials = { saved: owned?.serial ?? zone.serial, published: owned?.published_serial ?? 0 }
  const { word, text } = zoneState({ ...zone, ...serials, isEdited })
  // Undefined while it is not known what is published.
  const changes = published?.records && difference(published.records, recordsOf(rows.map((row) => rowOf(row))).records)
  const newRecord = { icon: 'plus', kind: 'add-record', onClick: () => shown.open(editor.add(FIRST_ROW)) } as const
  const save = (event: Event) => {
    event.preventDefault()
    return editor.save()
  }
  return html`
    <${Card} title="Zone" actions=${h(Badge, { role: 'status', tone: TONES[word] }, word)}>
      <p class="quiet">${text}</p>
      <form ref=${frame} onSubmit=${save} novalidate="">
        ${
          rows.length === 0 &&
          html`<${Empty} icon="zone" title="No records"><p>Add the first one: an address, a text, an alias.</p><//>`
        }
        <ul class="zone" aria-label="Records">
          ${rows.map((row, index) => {
            const onDrop = () => {
              editor.drop(row.id)
              shown.close()
            }
            const shared = { row, name, error: errors.byRow.get(index), disabled, onDrop }
            return row.id === shown.id
              ? html`<li key=${row.id}>
                  ${h(RecordForm, { ...shared, onEdit: (values) => editor.edit(row.id, values), onClose: shown.close })}
                </li>`
              : h(Row, { key: row.id, ...shared, onOpen: () => shown.open(row.id) })
          })}
        </ul>
        ${errors.rest.map((message) => html`<p class="field-error" role="status">${message}</p>`)}
        ${h(Button, { ...newRecord, disabled }, 'Add a record')}
        ${changes !== undefined && !isUnchanged(changes) && preview(changes)}
        ${said.text !== '' && html`<${Notice} tone=${said.tone}>${said.text}<//>`}
        <p class="hidden" role="status">${said.tone === 'bad' ? '' : said.text}</p>
      </form>
    <//>
    <div class="zone-foot">
      <p class="change-count" role="status">${changes && countOf(changes)}</p>
      ${isEdited && h(Button, { kind: 'plain', onClick: editor.discardEdits }, 'Discard edits')}
      ${
        isDraft({ ...zone, ...serials }) &&
        h(Button, { kind: 'plain', disabled, onClick: editor.discardDraft }, 'Discard draft')
      }
      ${h(Button, { disabled, busy, onClick: editor.save }, 'Save draft')}
      ${h(
        Button,
        { kind: 'main', disabled: disabled || owned === undefined, busy, onClick: editor.publish },
        'Publish'
      )}
    </div>
  `
}
