import { html, type Children } from '../lib/html.ts'
import { Hidden } from './basics.ts'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => Children
  readonly isNumber?: boolean
  readonly class?: string
}

interface TableProps<Row> {
  readonly caption: string
  /** The first names the row. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly toneOf?: (row: Row) => string
  /** What is shown below a row in all its width; null for nothing. */
  readonly detailOf?: (row: Row) => Children
  /** Buttons, in a column of their own. */
  readonly actionsOf?: (row: Row) => Children
}

/** In a narrow window each row becomes a card, with the titles before the values. */
export const table = <Row>({ caption, columns, rows, keyOf, toneOf, detailOf, actionsOf }: TableProps<Row>) => html`
  <div class="table-frame">
    <table>
      <caption class="hidden">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(
            ({ title, isNumber }) => html`<th scope="col" class=${isNumber ? 'number' : ''} key=${title}>${title}</th>`
          )}
          ${actionsOf && html`<th scope="col"><${Hidden}>Actions<//></th>`}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => {
          const detail = detailOf?.(row) ?? null
          return html`
            <tr key=${keyOf(row)} class="${toneOf?.(row) ?? ''} ${detail === null ? '' : 'has-detail'}">
              ${columns.map(({ title, cell, isNumber, class: name = '' }, index) => {
                const all = `${name} ${isNumber ? 'number' : ''}`
                return index === 0
                  ? html`<th scope="row" class=${all} key=${title}>${cell(row)}</th>`
                  : html`<td class=${all} data-title=${title} key=${title}><div>${cell(row)}</div></td>`
              })}
              ${actionsOf && html`<td><div class="actions">${actionsOf(row)}</div></td>`}
            </tr>
            ${
              detail !== null &&
              html`<tr key="${keyOf(row)} detail" class="detail">
                <td colspan=${columns.length + 1}>${detail}</td>
              </tr>`
            }
          `
        })}
      </tbody>
    </table>
  </div>
`
