import type { OwnedNameView } from '../lib/api.ts'
import { h, html, useNow, useState } from '../lib/html.ts'
import { to } from '../lib/router.ts'
import { count, dateTime } from '../lib/words.ts'
import { NameButtons, RegisterButton, useNames } from '../names/acts.ts'
import { leaseWords, renewalWords, zoneWords } from '../names/words.ts'
import { Badge, Card, Empty, LinkButton, loaded, Page, When } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { TextField } from '../parts/fields.ts'
import { table, type Column } from '../parts/table.ts'
import { edits } from '../zone/unsaved-edits.ts'

/** More names are easier to find by their text. */
const FILTER_FROM = 8

const columns = (nowMs: number): readonly Column<OwnedNameView>[] => [
  { title: 'Name', cell: ({ name }) => html`<a class="name-link" href=${to('names', name)}>${name}</a>` },
  {
    title: 'Lease',
    cell: (owned) => {
      const { word, text, tone } = leaseWords(owned, nowMs)
      return html`<div><${Badge} tone=${tone}>${word}<//> <${When} at=${owned.lease_end}>${text}<//></div>`
    }
  },
  {
    title: 'Renewal',
    cell: (owned) =>
      html`<div>
        ${renewalWords(owned, nowMs)}
        <p class="hint" title=${owned.renewal.due === null ? undefined : dateTime(owned.renewal.due)}>
          ${count(owned.renewal.left)} left
        </p>
      </div>`
  },
  {
    title: 'Zone',
    cell: (owned) => {
      const { word, tone } = zoneWords(owned, edits.has(owned.name))
      return html`<div><${Badge} tone=${tone}>${word}<//></div>`
    }
  }
]

const warnings = ({ state, warnings: all }: OwnedNameView) =>
  all.map(
    ({ code, message }) =>
      html`<p class="name-warning ${state === 'live' || state === 'sold' ? 'warn' : 'bad'}" key=${code}>
        <${Told} text=${message} />
      </p>`
  )

function Names({ all }: { all: readonly OwnedNameView[] }) {
  const now = useNow(1000)
  const [filter, setFilter] = useState('')
  const rows = all.filter(({ name }) => name.includes(filter.trim().toLowerCase()))
  if (all.length === 0)
    return html`<${Empty} icon="names" title="No names yet">
      <p>A name is earned by time: the daemon computes, and you wait.</p>
      <${RegisterButton} text="Register the first name" />
    <//>`
  return html`
    ${
      all.length >= FILTER_FROM &&
      h(TextField, { label: 'Find', type: 'search', value: filter, onInput: setFilter, class: 'name-filter' })
    }
    ${table({
      caption: 'Names',
      columns: columns(now),
      rows,
      keyOf: ({ name }) => name,
      actionsOf: (owned) => {
        const label = `Edit the zone of ${owned.name}`
        return [
          h(LinkButton, { kind: 'small', icon: 'edit', href: to('names', owned.name), label }, 'Zone'),
          h(NameButtons, { owned })
        ]
      },
      detailOf: (owned) => (owned.warnings.length === 0 ? null : warnings(owned))
    })}
    ${rows.length === 0 && html`<p class="quiet" role="status">No name has “${filter}” in it.</p>`}
  `
}

const LEAD = 'The names of your seed. The daemon renews them while it runs.'

export function View() {
  const names = useNames()
  return html`
    <${Page} title="Names" lead=${LEAD} actions=${html`<${RegisterButton} />`}>
      ${loaded(names, (all) => html`<${Card}>${h(Names, { all })}<//>`)}
    <//>
  `
}
