import type { OwnedNameView, ReadinessBody, TaskView } from '../lib/api.ts'
import { h, html, useNow } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { to } from '../lib/router.ts'
import { count, duration, plural } from '../lib/words.ts'
import { attention, dnsUse, lastBackup, nextRenewal, type Matter } from '../home/words.ts'
import { RegisterButton, useNames } from '../names/acts.ts'
import { NextStep } from '../names/next-step.ts'
import { leaseWords } from '../names/words.ts'
import { Badge, Card, Empty, LinkButton, loaded, Notice, Page, stat, When } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { Icon } from '../parts/icon.ts'
import { TaskCard, useTasks } from '../tasks/card.ts'

/** Names in the list of leases that end next. */
const MAX_LEASES = 5
/** Matters of one urgency that are shown at once. */
const MAX_ITEMS = 4

const CHECKS: Readonly<Record<string, string>> = {
  peers: 'Peers',
  beacon: 'Beacon',
  store: 'Store',
  journal: 'Journal',
  holdings: 'Your records',
  tasks: 'Tasks',
  names: 'Names',
  seed: 'Seed',
  dns: 'DNS',
  backup: 'Backup'
}

const isUrgent = ({ tone }: Matter): boolean => tone === 'bad'

const item = ({ key, tone, title, text, href, act }: Matter) => {
  const actions = href && h(LinkButton, { kind: 'small', href, label: `${act}: ${title}` }, act)
  return h(Notice, { key, tone, title, actions }, h(Told, { text }))
}

/** What comes first is shown, the rest by a click. */
const matters = (items: readonly Matter[], label: string) =>
  items.length > 0 &&
  html`
    <div class="stack" role="region" aria-label=${label}>
      ${items.slice(0, MAX_ITEMS).map(item)}
      ${
        items.length > MAX_ITEMS &&
        html`<details>
          <summary>${plural(items.length - MAX_ITEMS, 'more matter')}</summary>
          <div class="stack">${items.slice(MAX_ITEMS).map(item)}</div>
        </details>`
      }
    </div>
  `

const checks = (readiness: ReadinessBody) => html`
  <ul class="checks">
    ${readiness.checks.map(({ name, ok, warning, detail }) => {
      const tone = ok ? (warning === true ? 'warn' : 'good') : 'bad'
      const word = { good: 'well', warn: 'needs attention', bad: 'does not work' }[tone]
      return html`<li key=${name}>
        <span class=${tone} title=${word}><${Icon} name=${tone === 'good' ? 'check' : tone} /></span>
        <span class="hidden">${word}: </span><strong>${CHECKS[name] ?? name}</strong
        ><span class="quiet"><${Told} text=${detail} /></span>
      </li>`
    })}
  </ul>
`

const Leases = ({ names }: { names: readonly OwnedNameView[] }) => {
  const now = useNow(1000)
  const next = names.toSorted((a, b) => Date.parse(a.lease_end) - Date.parse(b.lease_end)).slice(0, MAX_LEASES)
  return html`<ul class="leases">
    ${next.map((owned) => {
      const { word, text, tone } = leaseWords(owned, now)
      return html`<li key=${owned.name}>
        <a href=${to('names', owned.name)}>${owned.name}</a>
        <${Badge} tone=${tone}>${word}<//>
        <span class="quiet number"><${When} at=${owned.lease_end}>${text}<//></span>
      </li>`
    })}
  </ul>`
}

function running(tasks: readonly TaskView[]) {
  const cards = tasks
    .filter(({ status }) => status === 'running')
    .map((task) => h(TaskCard, { key: task.task_id, task }))
  return cards.length > 0 && h(Card, { title: 'Running tasks', class: 'wide' }, cards)
}

export function View() {
  const names = useNames()
  const tasks = useTasks()
  const readiness = useResource('/readyz', { every: 5000, accept: [503] })
  const status = useResource('/api/network-status', { every: 5000, on: ['peer:'] }).data
  const seed = useResource('/api/seed', { every: 10_000 }).data
  const backup = useResource('/api/backup', { every: 30_000 }).data
  const dns = useResource('/api/dns', { every: 10_000 }).data
  const now = useNow(10_000)
  const drafts = useResource('/api/drafts', { every: 20_000, on: ['task:'] }).data
  const isKnown = readiness.data !== undefined && names.data !== undefined && seed !== undefined && status !== undefined
  const items = attention({ readiness: readiness.data, status, names: names.data, seed, drafts, tasks: tasks.data })
  const isLost = readiness.data?.ready === false
  const [only, ...others] = names.data ?? []
  return html`
    <${Page} title="Home" actions=${html`<${RegisterButton} />`}>
      <div class="stack">
        ${
          isKnown &&
          items.length === 0 &&
          html`<${Notice} tone="good" title="All is well">Nothing needs your attention.<//>`
        }
        ${isKnown && matters(items.filter(isUrgent), 'Urgent')} ${tasks.data && running(tasks.data)}
        ${only !== undefined && others.length === 0 && h(NextStep, { owned: only })}
        ${
          isKnown &&
          matters(
            items.filter((each) => !isUrgent(each)),
            'Needs attention'
          )
        }
        <div class="stats">
          ${stat({
            href: '#/names',
            value: names.data ? count(names.data.length) : '–',
            word: names.data?.length === 1 ? 'name' : 'names'
          })}
          ${stat({ href: '#/network', value: status ? count(status.peers) : '–', word: 'peers connected' })}
          ${names.data && stat(nextRenewal(names.data, now))} ${backup && seed && stat(lastBackup(backup, seed, now))}
          ${dns && stat(dnsUse(dns))}
          ${stat({
            href: '#/network',
            tone: readiness.data?.checks.some(({ name, ok }) => name === 'beacon' && !ok) ? 'bad' : '',
            value: status?.beacon.age_seconds == null ? '–' : duration(status.beacon.age_seconds),
            word: 'since the last pulse'
          })}
        </div>
        <div class="grid">
          <${Card} title="Leases that end next" actions=${html`<a href="#/names">All names</a>`}>
            ${loaded(names, (all) =>
              all.length === 0
                ? html`<${Empty} icon="names" title="No names yet"
                    ><p>Register the first one: the daemon does the rest.</p><//
                  >`
                : h(Leases, { names: all })
            )}
          <//>
          <${Card}
            title="Health"
            actions=${readiness.data && h(Badge, { tone: isLost ? 'bad' : 'good' }, isLost ? 'not ready' : 'ready')}
          >
            ${loaded(readiness, checks)}
          <//>
        </div>
      </div>
    <//>
  `
}
