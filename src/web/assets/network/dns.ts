import type { DnsView } from '../lib/api.ts'
import { h, html, useState } from '../lib/html.ts'
import { post } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { bytes, count, plural } from '../lib/words.ts'
import { queriesOf } from '../home/words.ts'
import { toast, useForm } from '../parts/act.ts'
import { Badge, Button, Card, Copy, facts, loaded } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { ask, FormDialog } from '../parts/dialog.ts'
import { TextField } from '../parts/fields.ts'

/** The name server of this daemon: where it listens, what validators need, what it has done. */
export function Dns() {
  const dns = useResource('/api/dns', { every: 10_000 })
  const [isFlushing, setFlushing] = useState(false)
  const mayFlush = useMay('publish')
  const isOn = dns.data?.enabled === true
  const forget = { kind: 'small', icon: 'renew', disabled: !mayFlush, onClick: () => setFlushing(true) } as const
  return html`
    <${Card} title="DNS" actions=${dns.data && h(Badge, { tone: isOn ? 'good' : 'quiet' }, isOn ? 'on' : 'off')}>
      ${loaded(dns, (data) =>
        data.enabled
          ? html`${server(data)}
              <div class="actions card-foot">
                ${h(Button, forget, 'Forget names…')}
                <span class="hint"><${Command} words="dns setup" /> makes this machine ask it.</span>
              </div>`
          : html`<p>The name server is off. <code>dns.enabled</code> turns it on, after a restart.</p>`
      )}
      ${isFlushing && h(Flush, { onClose: () => setFlushing(false) })}
    <//>
  `
}

const server = ({ zone, listen, forwarding, anchor, stats }: DnsView) =>
  facts([
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
    stats !== null && ['Queries', `${count(queriesOf({ stats }))} since the start, ${count(stats.waiting)} waiting`],
    stats !== null && ['Outcomes', outcomes(stats.answers)],
    stats !== null && ['Knows', `${plural(stats.names, 'name')}, ${bytes(stats.cache_bytes)}`],
    anchor !== null && [
      'Anchor',
      html`<span class="anchor"><code>${anchor.ds}</code><${Copy} text=${anchor.ds} what="DS record" /></span>`
    ]
  ])

const outcomes = (answers: Readonly<Record<string, number>>): string =>
  Object.entries(answers)
    .filter(([, number]) => number > 0)
    .map(([outcome, number]) => `${outcome} ${count(number)}`)
    .join(', ') || 'none yet'

function Flush({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const name = typed.trim()
  const form = useForm(async () => {
    const isSure =
      name !== '' ||
      (await ask({
        title: 'Forget all names?',
        lines: ['The next query of each name asks peers again, which takes longer.'],
        yes: 'Forget all',
        no: 'Keep them'
      }))
    if (!isSure) return
    const { flushed } = await post('/api/dns/flush', name === '' ? {} : { name })
    toast(flushed === 0 ? 'The name server knew nothing of it.' : `${plural(flushed, 'name')} forgotten.`)
    void refresh('/api/dns')
    onClose()
  })
  return html`
    <${FormDialog} title="Forget names" form=${form} yes="Forget" onClose=${onClose}>
      ${h(TextField, {
        label: 'Name',
        hint: 'Empty: all names. The next query asks peers.',
        error: form.error,
        value: typed,
        placeholder: 'alice.chronym',
        'data-focus': true,
        onInput: form.clearing(setTyped)
      })}
    <//>
  `
}
