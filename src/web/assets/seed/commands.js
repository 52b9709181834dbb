import { html } from '../lib/html.js'
import { Card } from '../parts/basics.js'
import { Command } from '../parts/command.js'
import { Table } from '../parts/table.js'
import { COMMANDS } from './words.js'

/** The words never pass through a browser, so the rest is the command line's. */
export const Commands = () => html`
  <${Card} title="On the command line">
    <p class="quiet">The words and backups never pass through this page.</p>
    <${Table}
      caption="Commands for seed and backup"
      columns=${[
        {
          title: 'Command',
          cell: ({ command }) => html`<${Command} words=${command} />`
        },
        { title: 'What it does', cell: ({ text }) => text }
      ]}
      rows=${COMMANDS.map(([command, text]) => ({ command, text }))}
      keyOf=${({ command }) => command}
    />
  <//>
`
