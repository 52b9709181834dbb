import type { OwnedNameView } from '../lib/api.ts'
import { html, useNow, useState } from '../lib/html.ts'
import { type Read, useResource } from '../lib/resource.ts'
import { to, type View } from '../lib/router.ts'
import { count, dateTime } from '../lib/words.ts'
import { NameButtons, RegisterButton } from '../names/acts.ts'
import { leaseWords, renewalWords, zoneWords } from '../names/words.ts'
import { Badge, Card, Empty, LinkButton, Loaded, Page, When } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { TextField } from '../parts/fields.ts'
import { type Column, Table } from '../parts/table.ts'
import { edits } from '../zone/unsaved-edits.ts'

/** More names are easier to find by their text. */
const FILTER_FROM = 8

/** Read again where something may have changed. */
export const useNames = (): Read<OwnedNameView[]> =>
  useResource('/api/names', { every: 15_000, on: ['name:', 'task:'] })

const columns = (nowMs: number): readonly Column<OwnedNameView>[] => [
  {
    title: 'Name',
    cell: ({ name }) => html`<a class="name-link" href=${to('names', name)}>${name}</a>`
  },
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
  },
  {
    title: 'Actions',
    isHidden: true,
    cell: (owned) =>
      html`<div class="actions">
        <${LinkButton}
          kind="small"
          icon="edit"
          href=${to('names', owned.name)}
          label=${`Edit the zone of ${owned.name}`}
          >Zone<//
        >
        <${NameButtons} owned=${owned} />
      </div>`
  }
]

const Warnings = ({ owned: { state, warnings } }: { owned: OwnedNameView }) =>
  warnings.map(
    ({ code, message }) =>
      html`<p class="name-warning ${state === 'live' ? 'warn' : 'bad'}" key=${code}><${Told} text=${message} /></p>`
  )

function View() {
  const names = useNames()
  const now = useNow(1000)
  const [filter, setFilter] = useState('')
  const all = names.data ?? []
  const shown = all.filter(({ name }) => name.includes(filter.trim().toLowerCase()))
  return html`
    <${Page}
      title="Names"
      lead="The names of your seed. The daemon renews them while it runs."
      actions=${html`<${RegisterButton} />`}
    >
      <${Loaded} of=${names}>
        <${Card}>
          ${
            all.length === 0
              ? html`<${Empty} icon="names" title="No names yet">
                  <p>A name is earned by time: the daemon computes, and you wait.</p>
                  <${RegisterButton} text="Register the first name" />
                <//>`
              : html`
                  ${
                    all.length >= FILTER_FROM &&
                    html`<${TextField}
                      label="Find"
                      type="search"
                      value=${filter}
                      onInput=${setFilter}
                      class="name-filter"
                    />`
                  }
                  <${Table}
                    caption="Names"
                    columns=${columns(now)}
                    rows=${shown}
                    keyOf=${({ name }: OwnedNameView) => name}
                    detailOf=${(owned: OwnedNameView) => (owned.warnings.length === 0 ? null : html`<${Warnings} owned=${owned} />`)}
                  />
                  ${shown.length === 0 && html`<p class="quiet" role="status">No name has “${filter}” in it.</p>`}
                `
          }
        <//>
      <//>
    <//>
  `
}

export const view: View = { path: '/names', title: 'Names', icon: 'names', View }
