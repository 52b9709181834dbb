import { html } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { Badge, Card, facts } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { keysWords } from './words.ts'

/** Whose keys a name has, and the commands that change them: the change words never go through a page. */
export function Keys({ name }: { name: string }) {
  const keys = useResource(`/api/names/${encodeURIComponent(name)}/keys`, {
    every: 60_000,
    on: ['name:', 'task:']
  }).data
  if (keys === undefined) return null
  const { word, text, tone } = keysWords(keys)
  return html`<${Card} title="Keys">
    ${facts([
      ['Changes', html`<${Badge} tone=${tone}>${word}<//> <span>${text}</span>`],
      [
        'Change key',
        keys.change_key ? 'named: the change words change the keys' : 'none: it was claimed without change words'
      ],
      ['Give it away', html`<${Command} isHere words="transfer accept OFFER" />`],
      ['New keys', html`<${Command} isHere words=${`key rotate ${name}`} />`]
    ])}
  <//>`
}
