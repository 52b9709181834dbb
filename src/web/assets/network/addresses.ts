import type { NetworkStatusView } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { plural } from '../lib/words.ts'
import { Badge, Copy, type Tone } from '../parts/basics.ts'

type Address = NetworkStatusView['addresses'][number]

const STATES: Readonly<Record<Address['state'], readonly [string, Tone]>> = {
  announced: ['reachable', 'good'],
  unconfirmed: ['not confirmed', 'warn'],
  local: ['local', 'quiet']
}

/** Where peers reach this node, in the form that --bootstrap takes. */
export const Addresses = ({ addresses }: { addresses: readonly Address[] }) => html`
  <h3>Addresses</h3>
  <ul class="addresses" aria-label="Addresses of this node">
    ${addresses.map(({ address, state, confirmed_by: peers, message }) => {
      const [word, tone] = STATES[state]
      return html`<li key=${address}>
        <span class="hash"><code>${address}</code><${Copy} text=${address} what="address" /></span>
        <${Badge} tone=${tone}>${word}<//>
        ${peers.length > 0 && html`<span class="hint">confirmed by ${plural(peers.length, 'peer')}</span>`}
        ${message && html`<span class="hint">${message}</span>`}
      </li>`
    })}
  </ul>
`
