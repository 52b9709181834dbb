import type { NetworkStatusView } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { count, percent } from '../lib/words.ts'
import { Badge, Card, Notice } from '../parts/basics.ts'

const NEEDS = {
  answer: 'an answer that is not thin',
  settle: 'settling and repair',
  adopt: 'adoption by newcomers'
} as const

/** Whether the peers are of enough address prefixes; `diversity` null where the network limits none. */
export function Diversity({ diversity }: Pick<NetworkStatusView, 'diversity'>) {
  if (diversity === null)
    return html`<${Card} title="Diversity">
      <p>This network counts no address prefixes: peers of one machine have a vote each. It promises no security.</p>
    <//>`
  const { peers, prefixes, wide_prefixes: wide, needed, enough, message } = diversity
  return html`
    <${Card}
      title="Diversity"
      actions=${html`<${Badge} tone=${enough ? 'good' : 'warn'}>${enough ? 'enough' : 'too few'}<//>`}
    >
      <div class="stack">
        <p>
          <strong>${count(peers)}</strong> diverse peers, in ${count(prefixes)} networks (/24, by IPv6 /32) of
          ${count(wide)} ${' '}providers (/16, by IPv6 /24).
        </p>
        <ul class="stack">
          ${(Object.entries(NEEDS) as [keyof typeof NEEDS, string][]).map(
            ([key, words]) =>
              html`<li key=${key}>
                <div class="row spread">
                  <span>${words}</span
                  ><span class="number quiet">${Math.min(peers, needed[key])} of ${needed[key]}</span>
                </div>
                <meter
                  min="0"
                  max=${needed[key]}
                  value=${Math.min(peers, needed[key])}
                  aria-label=${`Peers for ${words}`}
                >
                  ${percent(peers / needed[key])}
                </meter>
              </li>`
          )}
        </ul>
        ${message && html`<${Notice} tone="warn">${message}<//>`}
      </div>
    <//>
  `
}
