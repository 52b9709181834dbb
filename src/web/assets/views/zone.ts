import type { OwnedNameView } from '../lib/api.ts'
import type { View, ViewProps } from '../lib/view.ts'
import { html } from '../lib/html.ts'
import { to } from '../lib/router.ts'
import { useNow } from '../lib/store.ts'
import { count, dateTime } from '../lib/words.ts'
import { NameButtons } from '../names/acts.ts'
import { NextStep } from '../names/next-step-card.ts'
import { ShareButton } from '../names/share.ts'
import { leaseWords, renewalWords } from '../names/words.ts'
import { Badge, Card, Facts, LinkButton, Notice, Page } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { useTasks } from '../tasks/watch.ts'
import { TaskCard } from '../tasks/card.ts'
import { ZoneEditor } from '../zone/editor.ts'
import { edits } from '../zone/kept.ts'
import { ForeignZone } from '../zone/foreign.ts'
import { useNames } from './names.ts'

const Lease = ({ owned }: { owned: OwnedNameView }) => {
  const now = useNow()
  const { word, text, tone } = leaseWords(owned, now)
  return html`<${Card} title="Lease" actions=${html`<${NameButtons} owned=${owned} />`}>
    <${Facts}
      facts=${[
        ['State', html`<${Badge} tone=${tone}>${word}<//> <span class="number">${text}</span>`],
        ['Ends', dateTime(owned.lease_end)],
        ['Renewal', renewalWords(owned, now)],
        ['Renewals left', count(owned.renewal.left)]
      ]}
    />
    ${owned.warnings.map(
      ({ code, message }) => html`<${Notice} key=${code} tone="warn"><${Told} text=${message} /><//>`
    )}
  <//>`
}

function View({ params: { name = '' }, query }: ViewProps) {
  const names = useNames()
  const tasks = useTasks()
  const owned = names.data?.find((each) => each.name === name)
  const all = tasks.data ?? []
  const running = all.filter((task) => task.name === name && task.status === 'running')
  const isKnown = names.data !== undefined && tasks.data !== undefined
  return html`
    <${Page}
      title=${name}
      back=${{ href: '#/names', text: 'Names' }}
      actions=${html`${owned && owned.state !== 'lost' && owned.state !== 'lapsed' && html`<${ShareButton} owned=${owned} />`}
        <${LinkButton} icon="lookup" href=${to('lookup', name)}>What peers say<//>`}
    >
      <div class="stack">
        ${running.map(
          (task) =>
            html`<${Card} key=${task.task_id}>
              <${TaskCard} task=${task} taskNow=${(id: string) => all.find(({ task_id: each }) => each === id)} />
            <//>`
        )}
        ${owned && names.data?.length === 1 && !edits.has(name) && html`<${NextStep} owned=${owned} />`}
        ${owned && html`<${Lease} owned=${owned} />`}
      </div>
      ${
        isKnown &&
        (owned === undefined && running.length === 0
          ? html`<${ForeignZone} name=${name} />`
          : html`<${ZoneEditor} name=${name} owned=${owned} query=${query} key=${name} />`)
      }
    <//>
  `
}

export const view: View = { path: '/names/:name', title: 'Zone', icon: 'zone', isHidden: true, View }
