import { html, useEffect, useState } from '../lib/html.ts'
import { RegisterButton } from '../names/register.ts'
import { Badge, Card, Empty, Notice } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { fetchZone, type Zone } from './daemon.ts'
import { rowOf } from './records.ts'
import { Row } from './row.ts'

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
