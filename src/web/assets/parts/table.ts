import { type Children, html } from '../lib/html.ts'
import { Hidden } from './basics.ts'

export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => Children
  readonly isNumber?: boolean
  /** The title is for screen readers only. */
  readonly isHidden?: boolean
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
}

/** Types the cells of columns that a template has in place. */
export const columns = <Row>(list: readonly Column<Row>[]): readonly Column<Row>[] => list

/** In a narrow window each row becomes a card, with the titles before the values. */
export const Table = <Row>({
  caption,
  columns,
  rows,
  keyOf,
  toneOf = () => '',
  detailOf = () => null
}: TableProps<Row>) => html`
  <div class="table-frame">
    <table>
      <caption class="hidden">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(
            ({ title, isNumber, isHidden }) =>
              html`<th scope="col" class=${isNumber ? 'number' : ''} key=${title}>
                ${isHidden ? html`<${Hidden}>${title}<//>` : title}
              </th>`
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => {
          const detail = detailOf(row)
          return html`
            <tr key=${keyOf(row)} class="${toneOf(row)} ${detail === null ? '' : 'has-detail'}">
              ${columns.map(({ title, cell, isNumber, isHidden, class: name = '' }, index) => {
                const data = isHidden || index === 0 ? undefined : title
                const all = `${name} ${isNumber ? 'number' : ''}`
                return index === 0
                  ? html`<th scope="row" class=${all} key=${title}>${cell(row)}</th>`
                  : html`<td class=${all} data-title=${data} key=${title}><div>${cell(row)}</div></td>`
              })}
            </tr>
            ${
              detail !== null &&
              html`<tr key="${keyOf(row)} detail" class="detail">
                <td colspan=${columns.length}>${detail}</td>
              </tr>`
            }
          `
        })}
      </tbody>
    </table>
  </div>
`
