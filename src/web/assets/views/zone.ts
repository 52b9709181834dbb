import type { OwnedNameView } from '../lib/api.ts'
import { html, useEffect, useMemo, useNow, useState } from '../lib/html.ts'
import { to, type View, type ViewProps } from '../lib/router.ts'
import { count, dateTime } from '../lib/words.ts'
import { NameButtons, RegisterButton } from '../names/acts.ts'
import { NextStep } from '../names/next-step.ts'
import { leaseWords, renewalWords } from '../names/words.ts'
import { Badge, Button, Card, Copy, Empty, Facts, LinkButton, Notice, Page } from '../parts/basics.ts'
import { Command, Told } from '../parts/command.ts'
import { Modal } from '../parts/dialog.ts'
import encodeQR from 'qr'
import { TaskCard, useTasks } from '../tasks/card.ts'
import { useNames } from './names.ts'
import { fetchZone, type Zone } from '../zone/daemon.ts'
import { ZoneEditor } from '../zone/editor.ts'
import { Row } from '../zone/record.ts'
import { rowOf } from '../zone/records.ts'
import { edits } from '../zone/unsaved-edits.ts'

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

/** Characters of a code where DNS has no room for name and code in one. */
const SHORT_CODE = 6
/** Light modules around a code, by ISO/IEC 18004. */
const QUIET_ZONE = 4

function QrCode({ text }: { text: string }) {
  const rows = useMemo(() => encodeQR(text, 'raw', { border: QUIET_ZONE }), [text])
  const dark = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return html`
    <svg class="qr" viewBox="0 0 ${rows.length} ${rows.length}" role="img" aria-label="QR code of ${text}">
      <path d=${dark} />
    </svg>
  `
}

const Copied = ({ text, what }: { text: string; what: string }) => html`
  <span class="hash"><code>${text}</code><${Copy} text=${text} what=${what} /></span>
`

/** What its owner gives to others, so that they find this claim and no other. */
export function ShareButton({ owned: { name, coded_name: coded, check_code: code } }: { owned: OwnedNameView }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const link = coded === null ? undefined : new URL(`http:${coded}`).href
  return html`
    <${Button} icon="out" onClick=${() => setOpen(true)}>Share<//>
    ${
      isOpen &&
      html`<${Modal} title="Share ${name}" onClose=${close}>
        <p>Who looks it up with its check code finds your claim, or nothing: never that of somebody else.</p>
        <${Facts}
          facts=${
            link === undefined
              ? [
                  ['Name', html`<${Copied} text=${name} what="name" />`],
                  ['Check code', html`<${Copied} text=${code.slice(0, SHORT_CODE)} what="check code" />`]
                ]
              : [
                  ['Name with code', html`<${Copied} text=${coded} what="name with its code" />`],
                  ['Link', html`<${Copied} text=${link} what="link" />`]
                ]
          }
        />
        ${
          link === undefined
            ? html`<p class="quiet">The two together are longer than DNS allows: give them apart.</p>`
            : html`<${QrCode} text=${link} />`
        }
        <div class="answers"><${Button} onClick=${close} data-focus>Close<//></div>
      <//>`
    }
  `
}

/** The zone of a name that is not ours: to be read, or free to be registered. */
export function ForeignZone({ name }: { name: string }) {
  const [{ zone, failure }, setState] = useState<{ zone?: Zone; failure?: Error }>({})
  useEffect(() => {
    let isShown = true
    setState({})
    const show = (state: { zone?: Zone; failure?: Error }) => {
      if (isShown) setState(state)
    }
    fetchZone(name).then(
      (found) => show({ zone: found }),
      (error: unknown) => show({ failure: error as Error })
    )
    return () => void (isShown = false)
  }, [name])
  if (failure !== undefined) return html`<${Notice} tone="bad" title="Not read">${failure.message}<//>`
  if (zone === undefined) return html`<p class="quiet loading" role="status">Asking the peers around ${name}…</p>`
  if (zone.trouble !== undefined) return html`<${Notice} tone="warn" title="Not known just now">${zone.trouble}<//>`
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
        ${rows.map((row, index) => html`<${Row} key=${index} row=${row} name=${name} />`)}
      </ul>
    <//>
  `
}
