import { proxyRulesAddress } from '../../../util/proxy-rules.ts'
import { h, html } from '../lib/html.ts'
import { post } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { toast } from '../parts/act.ts'
import { Badge, Button, Card, facts, loaded, Whole } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { httpsState, type HttpsState } from './https-state.ts'

const BADGES = {
  unavailable: ['quiet', 'off'],
  off: ['quiet', 'off'],
  unready: ['warn', 'no key'],
  on: ['good', 'on']
} as const satisfies Record<HttpsState, readonly [tone: string, word: string]>

/** https for the browsers of the daemon's machine: the switch, what is still missing, and the way back. */
export function Https() {
  const dns = useResource('/api/dns', { every: 10_000 })
  const mayChange = useMay('admin')
  const state = dns.data && httpsState(dns.data)
  const turn = async (enabled: boolean) => {
    await post('/api/config', { https: { enabled } })
    await refresh('/api/dns', '/api/config')
    toast(`https is ${enabled ? 'on' : 'off'}.`)
  }
  const [tone, word] = BADGES[state ?? 'unavailable']
  return html`
    <${Card} title="https in browsers" actions=${state && h(Badge, { tone }, word)}>
      ${loaded(dns, ({ https, zone }) =>
        state === 'unavailable'
          ? html`<p>It needs the name server, which is off.</p>`
          : html`
              ${
                state === 'off'
                  ? html`<p>Browsers of this machine call names of the network not secure, or do not open them.</p>`
                  : facts([
                      state === 'unready' && [
                        'Missing',
                        html`the key: unlock the seed, or run <${Command} words="https setup" />`
                      ],
                      ['Proxy', html`<code>${https!.address}:${https!.port}</code>`],
                      [
                        'Rules for browsers',
                        h(Whole, { text: proxyRulesAddress(zone.slice(0, -1), https!), what: 'address' })
                      ],
                      ['Take it all back', html`<${Command} words="https setup --undo" />`]
                    ])
              }
              <div class="actions card-foot">
                ${h(
                  Button,
                  { kind: 'small', disabled: !mayChange, onClick: () => turn(state === 'off') },
                  state === 'off' ? 'Turn https on' : 'Turn https off'
                )}
              </div>
            `
      )}
    <//>
  `
}
