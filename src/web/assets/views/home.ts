import { attention, dnsUse, lastBackup, type Matter, nextRenewal } from '../home/words.ts'
import type { OwnedNameView, ReadinessBody, TaskView } from '../lib/api.ts'
import { html, useNow, useRef } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { to, type View } from '../lib/router.ts'
import { count, duration, plural } from '../lib/words.ts'
import { RegisterButton } from '../names/acts.ts'
import { NextStep } from '../names/next-step.ts'
import { leaseWords } from '../names/words.ts'
import { Badge, Card, Empty, LinkButton, Loaded, Notice, Page, Stat, When } from '../parts/basics.ts'
import { Told } from '../parts/command.ts'
import { Icon } from '../parts/icon.ts'
import { TaskCard, useTasks } from '../tasks/card.ts'
import { useNames } from './names.ts'

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

const Item = ({ item: { tone, title, text, href, act } }: { item: Matter }) => html`
  <${Notice}
    tone=${tone}
    title=${title}
    actions=${href && html`<${LinkButton} kind="small" href=${href} label=${`${act}: ${title}`}>${act}<//>`}
    ><${Told} text=${text}
  /><//>
`

/** What comes first is shown, the rest by a click. */
function Attention({ items, label }: { items: readonly Matter[]; label: string }) {
  if (items.length === 0) return null
  const item = (each: Matter) => html`<${Item} key=${each.key} item=${each} />`
  return html`
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
}

const Checks = ({ readiness }: { readiness: ReadinessBody }) => html`
  <ul class="checks">
    ${readiness.checks.map(({ name, ok, warning, detail }) => {
      const tone = ok ? (warning === true ? 'warn' : 'good') : 'bad'
      const word = { good: 'well', warn: 'needs attention', bad: 'does not work' }[tone]
      return html`<li key=${name}>
        <span class=${tone} title=${word}><${Icon} name=${{ good: 'check', warn: 'warn', bad: 'bad' }[tone]} /></span>
        <span class="hidden">${word}: </span><strong>${CHECKS[name] ?? name}</strong
        ><span class="quiet"><${Told} text=${detail} /></span>
      </li>`
    })}
  </ul>
`

const Leases = ({ names }: { names: readonly OwnedNameView[] }) => {
  const now = useNow(1000)
  const next = [...names].sort((a, b) => Date.parse(a.lease_end) - Date.parse(b.lease_end)).slice(0, MAX_LEASES)
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

function Running({ tasks }: { tasks: readonly TaskView[] }) {
  const all = useRef(tasks)
  all.current = tasks
  const running = tasks.filter(({ status }) => status === 'running')
  if (running.length === 0) return null
  const taskNow = (id: string) => all.current.find(({ task_id: each }) => each === id)
  return html`<${Card} title="Running tasks" class="wide">
    ${running.map((task) => html`<${TaskCard} key=${task.task_id} task=${task} taskNow=${taskNow} />`)}
  <//>`
}

function View() {
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
  return html`
    <${Page} title="Home" actions=${html`<${RegisterButton} />`}>
      <div class="stack">
        ${
          isKnown &&
          items.length === 0 &&
          html`<${Notice} tone="good" title="All is well">Nothing needs your attention.<//>`
        }
        ${isKnown && html`<${Attention} items=${items.filter(isUrgent)} label="Urgent" />`}
        ${tasks.data && html`<${Running} tasks=${tasks.data} />`}
        ${names.data?.length === 1 && html`<${NextStep} owned=${names.data[0]} />`}
        ${isKnown && html`<${Attention} items=${items.filter((item) => !isUrgent(item))} label="Needs attention" />`}
        <div class="stats">
          <${Stat}
            href="#/names"
            value=${names.data ? count(names.data.length) : '–'}
            word=${names.data?.length === 1 ? 'name' : 'names'}
          />
          <${Stat} href="#/network" value=${status ? count(status.peers) : '–'} word="peers connected" />
          ${names.data && html`<${Stat} ...${nextRenewal(names.data, now)} />`}
          ${backup && seed && html`<${Stat} ...${lastBackup(backup, seed, now)} />`}
          ${dns && html`<${Stat} ...${dnsUse(dns)} />`}
          <${Stat}
            href="#/network"
            tone=${readiness.data?.checks.some(({ name, ok }) => name === 'beacon' && !ok) ? 'bad' : ''}
            value=${status?.beacon.age_seconds == null ? '–' : duration(status.beacon.age_seconds)}
            word="since the last pulse"
          />
        </div>
        <div class="grid">
          <${Card} title="Leases that end next" actions=${html`<a href="#/names">All names</a>`}>
            <${Loaded} of=${names}>
              ${(all: OwnedNameView[]) =>
                all.length === 0
                  ? html`<${Empty} icon="names" title="No names yet"
                      ><p>Register the first one: the daemon does the rest.</p><//
                    >`
                  : html`<${Leases} names=${all} />`}
            <//>
          <//>
          <${Card}
            title="Health"
            actions=${
              readiness.data && html`<${Badge} tone=${isLost ? 'bad' : 'good'}>${isLost ? 'not ready' : 'ready'}<//>`
            }
          >
            <${Loaded} of=${readiness}>${(data: ReadinessBody) => html`<${Checks} readiness=${data} />`}<//>
          <//>
        </div>
      </div>
    <//>
  `
}

export const view: View = { path: '/', title: 'Home', icon: 'home', View }
