import { html } from '../lib/html.ts'
import { Button } from '../parts/basics.ts'
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
