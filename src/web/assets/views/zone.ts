import type { OwnedNameView } from '../lib/api.ts'
import { h, html, useAnswer, useNow, useState } from '../lib/html.ts'
import { to, type ViewProps } from '../lib/router.ts'
import { count, dateTime } from '../lib/words.ts'
import { NameButtons, RegisterButton, useNames } from '../names/acts.ts'
import { Keys } from '../names/keys.ts'
import { NextStep } from '../names/next-step.ts'
import { isGone, leaseWords, renewalWords } from '../names/words.ts'
import { Badge, Button, Card, Empty, facts, LinkButton, Notice, Page, waiting, Whole } from '../parts/basics.ts'
import { Command, Told } from '../parts/command.ts'
import { Modal } from '../parts/dialog.ts'
import { TaskCard, useTasks } from '../tasks/card.ts'
import { fetchZone, type Zone } from '../zone/daemon.ts'
import { ZoneEditor } from '../zone/editor.ts'
import { Row } from '../zone/record.ts'
import { rowOf } from '../zone/records.ts'
import { edits } from '../zone/unsaved-edits.ts'

export function View({ params: { name = '' }, query }: ViewProps) {
  const names = useNames()
  const tasks = useTasks()
  const owned = names.data?.find((each) => each.name === name)
  const running = (tasks.data ?? []).filter((task) => task.name === name && task.status === 'running')
  const isKnown = names.data !== undefined && tasks.data !== undefined
  const buttons = [
    owned && !isGone(owned.state) && h(ShareButton, { owned }),
    h(LinkButton, { icon: 'lookup', href: to('lookup', name) }, 'What peers say')
  ]
  return html`
    <${Page} title=${name} back=${{ href: '#/names', text: 'Names' }} actions=${buttons}>
      <div class="stack">
        ${running.map((task) => h(Card, { key: task.task_id }, h(TaskCard, { task })))}
        ${owned && names.data?.length === 1 && !edits.has(name) && h(NextStep, { owned })}
        ${owned && h(Lease, { owned })} ${owned && owned.state !== 'lapsed' && h(Keys, { name })}
      </div>
      ${
        isKnown &&
        (owned === undefined && running.length === 0
          ? h(ForeignZone, { name })
          : h(ZoneEditor, { name, owned, query, key: name }))
      }
    <//>
  `
}

const Lease = ({ owned }: { owned: OwnedNameView }) => {
  const now = useNow()
  const { word, text, tone } = leaseWords(owned, now)
  return html`<${Card} title="Lease" actions=${h(NameButtons, { owned })}>
    ${facts([
      ['State', html`<${Badge} tone=${tone}>${word}<//> <span class="number">${text}</span>`],
      ['Ends', dateTime(owned.lease_end)],
      ['Renewal', renewalWords(owned, now)],
      ['Renewals left', count(owned.renewal.left)]
    ])}
    ${owned.warnings.map(
      ({ code, message }) => html`<${Notice} key=${code} tone="warn"><${Told} text=${message} /><//>`
    )}
  <//>`
}

/** Characters of a code where DNS has no room for name and code in one. */
const SHORT_CODE = 6
/** Light modules around a code, by ISO/IEC 18004. */
const QUIET_ZONE = 4

function QrCode({ text }: { text: string }) {
  const [rows, setRows] = useState<boolean[][]>([])
  const read = async () => (await import('qr')).default(text, 'raw', { border: QUIET_ZONE })
  useAnswer(() => read().catch(() => []), setRows, [text])
  if (rows.length === 0) return null
  const dark = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return html`
    <svg class="qr" viewBox="0 0 ${rows.length} ${rows.length}" role="img" aria-label="QR code of ${text}">
      <path d=${dark} />
    </svg>
  `
}

/** What its owner gives to others, so that they find this claim and no other. */
function ShareButton({ owned: { name, coded_name: coded, check_code: code } }: { owned: OwnedNameView }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const link = coded === null ? '' : new URL(`http:${coded}`).href
  const copied = (text: string, what: string) => h(Whole, { text, what })
  return html`
    ${h(Button, { icon: 'out', onClick: () => setOpen(true) }, 'Share')}
    ${
      isOpen &&
      html`<${Modal} title="Share ${name}" onClose=${close}>
        <p>Who looks it up with its check code finds your claim, or nothing: never that of somebody else.</p>
        ${
          coded === null
            ? html`${facts([
                  ['Name', copied(name, 'name')],
                  ['Check code', copied(code.slice(0, SHORT_CODE), 'check code')]
                ])}
                <p class="quiet">The two together are longer than DNS allows: give them apart.</p>`
            : html`${facts([
                  ['Name with code', copied(coded, 'name with its code')],
                  ['Link', copied(link, 'link')]
                ])} <${QrCode} text=${link} />`
        }
        <div class="answers">${h(Button, { onClick: close, 'data-focus': true }, 'Close')}</div>
      <//>`
    }
  `
}

/** The zone of a name that is not ours: to be read, or free to be registered. */
function ForeignZone({ name }: { name: string }) {
  const [{ of, zone, failure }, setRead] = useState<{ of?: string; zone?: Zone; failure?: Error }>({})
  const read = () =>
    fetchZone(name).then(
      (found) => ({ of: name, zone: found }),
      (error: unknown) => ({ of: name, failure: error as Error })
    )
  useAnswer(read, setRead, [name])
  if (of === name && failure !== undefined) return h(Notice, { tone: 'bad', title: 'Not read' }, failure.message)
  if (of !== name || zone === undefined) return waiting(`Asking the peers around ${name}…`)
  if (zone.trouble !== undefined) return h(Notice, { tone: 'warn', title: 'Not known just now' }, zone.trouble)
  if (zone.source === null)
    return html`<${Card}>
      <${Empty} icon="names" title="Nobody owns ${name}">
        <p>It is free, as far as peers show.</p>
        <${RegisterButton} text="Register" name=${name} />
      <//>
    <//>`
  const rows = Object.entries(zone.records).flatMap(([label, group]) => group.map((each) => rowOf({ label, ...each })))
  return html`
    <${Card} title="Zone" actions=${html`<${Badge} tone="quiet">not yours: read only<//>`}>
      ${
        zone.source === 'local'
          ? html`<p class="quiet">
              A draft, which only this daemon has. <${Command} words="zone discard ${name}" /> removes it.
            </p>`
          : html`<p class="quiet">Serial ${zone.serial}, as peers show it.</p>`
      }
      ${rows.length === 0 && html`<p class="quiet">It has no records.</p>`}
      <ul class="zone" aria-label="Records">
        ${rows.map((row, index) => h(Row, { key: index, row, name }))}
      </ul>
    <//>
  `
}
