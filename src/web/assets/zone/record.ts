import { html, useId, useState } from '../lib/html.ts'
import { Button } from '../parts/basics.ts'
import { SelectField, TextField } from '../parts/fields.ts'
import { FORMS, needsText, type Part as PartForm, partsOf, TYPES, valueAs, valueOf } from './forms.ts'
import type { RecordRow, RowError } from './records.ts'

/** What a record is of, in full. */
export const whereOf = ({ label }: Pick<RecordRow, 'label'>, name: string): string =>
  label === '' || label === '@' ? name : `${label}.${name}`
export const titleOf = (row: Pick<RecordRow, 'label' | 'type'>, name: string): string =>
  `the ${row.type} record of ${whereOf(row, name)}`

interface RowProps {
  readonly row: RecordRow
  readonly name: string
  /** Of the daemon's check. */
  readonly error?: RowError
  readonly disabled?: boolean
  /** Without it the record can only be read. */
  readonly onOpen?: () => void
  readonly onDrop?: () => void
}

/** One record in a line, which a click opens; the button is for the keyboard. */
export const Row = ({ row, name, error, disabled, onOpen, onDrop }: RowProps) => html`
  <li class="record-row ${onOpen && !disabled ? 'can-open' : ''}" onClick=${disabled ? undefined : onOpen}>
    <span class="record-label" title=${whereOf(row, name)}>${row.label === '' ? '@' : row.label}</span>
    <span class="record-type">${row.type}</span>
    <code class="record-value">${row.value === '' ? html`<span class="quiet">empty</span>` : row.value}</code>
    <span class="record-ttl quiet number">${row.ttl === '' ? '' : `${row.ttl} s`}</span>
    ${
      onOpen &&
      html`<span class="actions">
        <${Button}
          kind="plain small"
          icon="edit"
          disabled=${disabled}
          label=${`Edit ${titleOf(row, name)}`}
          onClick=${onOpen}
        />
        <${Button}
          kind="plain small"
          icon="trash"
          disabled=${disabled}
          label=${`Remove ${titleOf(row, name)}`}
          onClick=${(event: Event) => (event.stopPropagation(), onDrop?.())}
        />
      </span>`
    }
    ${error && html`<p class="field-error" role="status">${error.message}</p>`}
  </li>
`

const OPTIONS = TYPES.map((type) => [type, `${type} · ${FORMS[type]!.word}`])

interface PartProps {
  readonly part: PartForm
  readonly text: string
  /** Properties of a control whose value the daemon would refuse. */
  readonly faulty: Readonly<Record<string, string>>
  readonly onInput: (text: string) => void
}

function Part({ part, text, faulty, onInput }: PartProps) {
  const width = part.isNumber ? 'part-number' : part.options ? 'part-choice' : 'part-text'
  const shared = { label: part.name, class: width, ...faulty }
  if (part.options !== undefined) {
    const known = part.options.some((option) => (typeof option === 'string' ? option : option[0]) === text)
    const options = known ? part.options : [[text, text === '' ? 'choose' : text], ...part.options]
    return html`<${SelectField} ...${shared} value=${text} options=${options} onChange=${onInput} />`
  }
  return html`<${TextField}
    ...${shared}
    value=${text}
    lines=${part.isLong ? 1 : undefined}
    placeholder=${part.placeholder}
    inputmode=${part.isNumber ? 'numeric' : undefined}
    onInput=${onInput}
  />`
}

interface RecordFormProps {
  readonly row: RecordRow
  readonly name: string
  /** Of the daemon's check. */
  readonly error?: RowError
  readonly disabled?: boolean
  readonly onEdit: (values: Partial<RecordRow>) => void
  readonly onDrop: () => void
  /** Shows it as a line. */
  readonly onClose: () => void
}

/** The form of one record. */
export function RecordForm({ row, name, error, disabled, onEdit, onDrop, onClose }: RecordFormProps) {
  const { label, type, value, ttl } = row
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
      <${TextField}
        label="Label"
        class="record-label"
        value=${label}
        error=${errorOf('label')}
        placeholder="@"
        title=${whereOf(row, name)}
        onInput=${(text: string) => onEdit({ label: text })}
      />
      <${SelectField}
        label="Type"
        class="record-type"
        value=${type}
        error=${errorOf('type')}
        options=${form === undefined ? [[type, type], ...OPTIONS] : OPTIONS}
        onChange=${(next: string) => onEdit({ type: next, value: valueAs(next, type, value) })}
      />
      <div class="record-value">
        <div class="parts">
          ${
            asText
              ? html`<${TextField}
                  label="Value"
                  class="part-text"
                  value=${value}
                  onInput=${(text: string) => onEdit({ value: text })}
                  ...${faulty}
                />`
              : form.parts.map(
                  (part, index) =>
                    html`<${Part}
                      key=${part.name}
                      part=${part}
                      text=${texts[index]}
                      faulty=${faulty}
                      onInput=${(text: string) => onEdit({ value: valueOf(type, texts.with(index, text)) })}
                    />`
                )
          }
        </div>
        ${valueError && html`<p class="field-error" role="status" id=${errorId}>${valueError}</p>`}
        ${
          form !== undefined &&
          form.parts.length > 1 &&
          html`<button type="button" class="button plain small as-text" onClick=${() => setText(!isText)}>
            ${isText ? 'Edit as a form' : 'Edit as text'}
          </button>`
        }
      </div>
      <${TextField}
        label="TTL (s)"
        class="record-ttl"
        value=${ttl}
        error=${errorOf('ttl')}
        placeholder="300"
        inputmode="numeric"
        onInput=${(text: string) => onEdit({ ttl: text })}
      />
      <div class="actions">
        <${Button} kind="small" onClick=${onClose}>Done<//>
        <${Button} kind="plain small" icon="trash" label=${`Remove ${titleOf(row, name)}`} onClick=${onDrop} />
      </div>
    </fieldset>
  `
}
