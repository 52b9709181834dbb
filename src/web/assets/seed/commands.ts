import { html } from '../lib/html.ts'
import { Card } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { columns, Table } from '../parts/table.ts'
import { COMMANDS, type Offer } from './words.ts'

/** The words never pass through a browser, so the rest is the command line's. */
export const Commands = () => html`
  <${Card} title="On the command line">
    <p class="quiet">The words and backups never pass through this page.</p>
    <${Table}
      caption="Commands for seed and backup"
      columns=${columns<Offer>([
        {
          title: 'Command',
          cell: ([command]) => html`<${Command} words=${command} />`
        },
        { title: 'What it does', cell: ([, text]) => text }
      ])}
      rows=${COMMANDS}
      keyOf=${([command]: Offer) => command}
    />
  <//>
`
