import type { DnsView } from '../lib/api.ts'
import { html, useState } from '../lib/html.ts'
import { post, reasonOf } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { bytes, count, plural } from '../lib/words.ts'
import { toast } from '../parts/act.ts'
import { Badge, Button, Card, Copy, Facts, Loaded } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { ask, Modal } from '../parts/dialog.ts'
import { TextField } from '../parts/fields.ts'

/** The name server of this daemon: where it listens, what validators need, what it has done. */
export function Dns() {
  const dns = useResource('/api/dns', { every: 10_000 })
  const [isFlushing, setFlushing] = useState(false)
  const mayFlush = useMay('publish')
  const isOn = dns.data?.enabled === true
  return html`
    <${Card}
      title="DNS"
      actions=${dns.data && html`<${Badge} tone=${isOn ? 'good' : 'quiet'}>${isOn ? 'on' : 'off'}<//>`}
    >
      <${Loaded} of=${dns}>
        ${(data: DnsView) =>
          data.enabled
            ? html`<${Server} dns=${data} />
                <div class="actions card-foot">
                  <${Button} kind="small" icon="renew" disabled=${!mayFlush} onClick=${() => setFlushing(true)}
                    >Forget names…<//
                  >
                  <span class="hint"><${Command} words="dns setup" /> makes this machine ask it.</span>
                </div>`
            : html`<p>The name server is off. <code>dns.enabled</code> turns it on, after a restart.</p>`}
      <//>
      ${isFlushing && html`<${Flush} onClose=${() => setFlushing(false)} />`}
    <//>
  `
}

function Server({ dns: { zone, listen, forwarding, anchor, stats } }: { dns: DnsView }) {
  const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, each) => all + each, 0)
  return html`
    <${Facts}
      facts=${[
        ['Zone', html`<code>${zone}</code>`],
        [
          'Listens on',
          listen.length === 0
            ? html`<span class="warn">nowhere yet</span>`
            : html`<ul>
                ${listen.map(
                  ({ transport, address, port }) =>
                    html`<li key=${`${transport} ${address} ${port}`}>
                      <code>${address.includes(':') ? `[${address}]` : address}:${port}</code> ${transport}
                    </li>`
                )}
              </ul>`
        ],
        ['Other names', forwarding ? 'are asked elsewhere' : 'are refused'],
        stats !== null && ['Queries', `${count(sum(stats.queries))} since the start, ${count(stats.waiting)} waiting`],
        stats !== null && ['Outcomes', outcomes(stats.answers)],
        stats !== null && ['Knows', `${plural(stats.names, 'name')}, ${bytes(stats.cache_bytes)}`],
        anchor !== null && [
          'Anchor',
          html`<span class="anchor"><code>${anchor.ds}</code><${Copy} text=${anchor.ds} what="DS record" /></span>`
        ]
      ]}
    />
  `
}

const outcomes = (answers: Readonly<Record<string, number>>): string =>
  Object.entries(answers)
    .filter(([, number]) => number > 0)
    .map(([outcome, number]) => `${outcome} ${count(number)}`)
    .join(', ') || 'none yet'

function Flush({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const [error, setError] = useState<string>()
  const flush = async (event: Event) => {
    event.preventDefault()
    const isAll = name.trim() === ''
    const sure =
      !isAll ||
      (await ask({
        title: 'Forget all names?',
        lines: ['The next query of each name asks peers again, which takes longer.'],
        yes: 'Forget all',
        no: 'Keep them'
      }))
    if (!sure) return
    try {
      const { flushed } = await post('/api/dns/flush', isAll ? {} : { name: name.trim() })
      toast(flushed === 0 ? 'The name server knew nothing of it.' : `${plural(flushed, 'name')} forgotten.`)
      void refresh('/api/dns')
      onClose()
    } catch (trouble) {
      setError(reasonOf(trouble as Error))
    }
  }
  return html`
    <${Modal} title="Forget names" onClose=${onClose}>
      <form class="stack" onSubmit=${flush}>
        <${TextField}
          label="Name"
          hint="Empty: all names. The next query asks peers."
          error=${error}
          value=${name}
          placeholder="alice.chronym"
          data-focus=${true}
          onInput=${(text: string) => {
            setName(text)
            setError(undefined)
          }}
        />
        <div class="answers">
          <${Button} onClick=${onClose}>Cancel<//>
          <${Button} kind="main" type="submit">Forget<//>
        </div>
      </form>
    <//>
  `
}
