import { html } from '../lib/html.ts'
import { Hidden } from './basics.ts'

/**
 * `columns`: [{title, cell(row), isNumber?, isHidden? (the title is for screen readers only), class?}]. The first names
 * the row. In a narrow window each row becomes a card, with the titles before the values. `detailOf(row)`: what is
 * shown below a row in all its width; null for nothing.
 */
export const Table = ({ caption, columns, rows, keyOf, toneOf = () => '', detailOf = () => null }) => html`
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
