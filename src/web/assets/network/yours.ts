import type { OwnedNameView } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { useResource } from '../lib/resource.ts'
import { to } from '../lib/router.ts'
import { Badge, Card, Loaded, type Tone } from '../parts/basics.ts'

const TONES: Readonly<Record<OwnedNameView['state'], Tone>> = {
  live: 'good',
  grace: 'warn',
  lapsed: 'quiet',
  contested: 'bad',
  lost: 'bad'
}

/** What this daemon has in the network, with the way to who stores it. */
export const Yours = () => html`
  <${Card} title="Who stores your names">
    <${Loaded} of=${useResource('/api/names', { every: 30_000, on: ['name:', 'task:completed'] })}>
      ${(names: OwnedNameView[]) =>
        names.length === 0
          ? html`<p class="quiet">No names yet. <a href="#/names">Register the first one.</a></p>`
          : html`<ul class="links">
              ${names.map(
                ({ name, state }) =>
                  html`<li key=${name}>
                    <a href=${to('lookup', name)}>${name}</a> <${Badge} tone=${TONES[state]}>${state}<//>
                  </li>`
              )}
            </ul>`}
    <//>
    <p class="hint">Each link asks the peers around that name what they hold.</p>
  <//>
`
