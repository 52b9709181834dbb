/** One record of a zone: as a line, and as a form. */
import { h, html, useId, useRef, useState } from '../lib/html.ts'
import { Button } from '../parts/basics.ts'
import { SelectField, TextField, type Option } from '../parts/fields.ts'
import { FORMS, needsText, partsOf, TYPES, valueAs, valueOf, type Part } from './forms.ts'
import { shownValue, type RecordRow, type RowError } from './records.ts'

/** What a record is of, in full. */
const whereOf = ({ label }: Pick<RecordRow, 'label'>, name: string): string =>
  label === '' || label === '@' ? name : `${label}.${name}`
const titleOf = (row: Pick<RecordRow, 'label' | 'type'>, name: string): string =>
  `the ${row.type} record of ${whereOf(row, name)}`

interface RecordProps {
  readonly row: RecordRow
  readonly name: string
  /** What the daemon's check says. */
  readonly error?: RowError | undefined
  readonly disabled?: boolean
}

interface RowProps extends RecordProps {
  /** Without it the record can only be read. */
  readonly onOpen?: () => void
  readonly onDrop?: () => void
}

/** A line, which a click opens. The button is for the keyboard: its click reaches the line. */
export const Row = ({ row, name, error, disabled, onOpen, onDrop }: RowProps) => {
  const button = { kind: 'plain small', disabled }
  const drop = (event: Event) => {
    event.stopPropagation()
    onDrop?.()
  }
  return html`
    <li class="record-row ${onOpen && !disabled ? 'can-open' : ''}" onClick=${disabled ? undefined : onOpen}>
      <span class="record-label" title=${whereOf(row, name)}>${row.label === '' ? '@' : row.label}</span>
      <span class="record-type">${row.type}</span>
      <code class="record-value">${row.value === '' ? html`<span class="quiet">empty</span>` : shownValue(row)}</code>
      <span class="record-ttl quiet number">${row.ttl === '' ? '' : `${row.ttl} s`}</span>
      ${
        onOpen &&
        html`<span class="actions">
          ${h(Button, { ...button, icon: 'edit', label: `Edit ${titleOf(row, name)}` })}
          ${h(Button, { ...button, icon: 'trash', label: `Remove ${titleOf(row, name)}`, onClick: drop })}
        </span>`
      }
      ${error && html`<p class="field-error" role="status">${error.message}</p>`}
    </li>
  `
}

const OPTIONS = TYPES.map((type): Option => [type, `${type} · ${FORMS[type]!.word}`])

/** The control of a part of a value. `faulty`: attributes of one whose value the daemon would refuse. */
function control(part: Part, text: string, faulty: Readonly<Record<string, string>>, onInput: (text: string) => void) {
  const { name: label, options, isNumber } = part
  const width = isNumber ? 'part-number' : options ? 'part-choice' : 'part-text'
  const shared = { key: label, label, class: width, value: text, ...faulty }
  if (options === undefined)
    return h(TextField, {
      ...shared,
      lines: part.isLong ? 1 : undefined,
      placeholder: part.placeholder,
      inputmode: isNumber ? 'numeric' : undefined,
      onInput
    })
  const isKnown = options.some((option) => (typeof option === 'string' ? option : option[0]) === text)
  const all: readonly Option[] = isKnown ? options : [[text, text === '' ? 'choose' : text], ...options]
  return h(SelectField, { ...shared, options: all, onChange: onInput })
}

interface RecordFormProps extends RecordProps {
  readonly onEdit: (values: Partial<RecordRow>) => void
  readonly onDrop: () => void
  /** Shows it as a line. */
  readonly onClose: () => void
}

export function RecordForm({ row, name, error, disabled, onEdit, onDrop, onClose }: RecordFormProps) {
  const { label, type, ttl } = row
  const opened = useRef(row.value).current
  // A field of a browser loses line ends and shows no mark of direction. What is typed since stands as typed.
  const value = row.value === opened ? shownValue(row) : row.value
  const [isText, setText] = useState(needsText(type, value))
  const form = FORMS[type]
  const asText = isText || form === undefined
  const texts = asText ? [] : partsOf(type, value)
  const errorOf = (field: RowError['field']) => (error?.field === field ? error.message : undefined)
  // The value may have several parts: the message belongs to all of them.
  const valueError = errorOf('value')
  const errorId = useId()
  const faulty = valueError === undefined ? {} : { 'aria-invalid': 'true', 'aria-describedby': errorId }
  return html`
    <fieldset class="record ${error ? 'is-wrong' : ''}" disabled=${disabled}>
      <legend class="hidden">Edit ${titleOf(row, name)}</legend>
      ${h(TextField, {
        label: 'Label',
        class: 'record-label',
        value: label,
        error: errorOf('label'),
        placeholder: '@',
        title: whereOf(row, name),
        onInput: (text) => onEdit({ label: text })
      })}
      ${h(SelectField, {
        label: 'Type',
        class: 'record-type',
        value: type,
        error: errorOf('type'),
        options: form === undefined ? [type, ...OPTIONS] : OPTIONS,
        onChange: (next) => onEdit({ type: next, value: valueAs(next, type, value) })
      })}
      <div class="record-value">
        <div class="parts">
          ${
            asText
              ? control({ name: 'Value' }, value, faulty, (text) => onEdit({ value: text }))
              : form.parts.map((part, index) =>
                  control(part, texts[index] ?? '', faulty, (text) =>
                    onEdit({ value: valueOf(type, texts.with(index, text)) })
                  )
                )
          }
        </div>
        ${valueError && html`<p class="field-error" role="status" id=${errorId}>${valueError}</p>`}
        ${
          form !== undefined &&
          form.parts.length > 1 &&
          html`<button
            type="button"
            class="button plain small as-text"
            disabled=${isText && needsText(type, value)}
            onClick=${() => setText(!isText)}
          >
            ${isText ? 'Edit as a form' : 'Edit as text'}
          </button>`
        }
      </div>
      ${h(TextField, {
        label: 'TTL (s)',
        class: 'record-ttl',
        value: ttl,
        error: errorOf('ttl'),
        placeholder: '300',
        inputmode: 'numeric',
        onInput: (text) => onEdit({ ttl: text })
      })}
      <div class="actions">
        ${h(Button, { kind: 'small', onClick: onClose }, 'Done')}
        ${h(Button, { kind: 'plain small', icon: 'trash', label: `Remove ${titleOf(row, name)}`, onClick: onDrop })}
      </div>
    </fieldset>
  `
}
