import type { Explanation } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { remove } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { dateTime, ends } from '../lib/words.ts'
import { Badge, Button, When } from '../parts/basics.ts'
import { ask } from '../parts/dialog.ts'
import { toast } from '../parts/toasts.ts'

/** The owner that this daemon has seen as settled, and forgetting it. */
export function Pin({
  pin: { owner, state, since, until },
  name
}: {
  pin: NonNullable<Explanation['pin']>
  name: string
}) {
  const mayForget = useMay('admin')
  return html`
    <span class="row">
      <${Badge} tone=${state === 'firm' ? 'good' : 'quiet'}>${state === 'firm' ? 'pinned' : 'seen once'}<//>
      <span>
        <code title=${owner}>${ends(owner)}</code> since <${When} at=${since}>${dateTime(since)}<//>, until ${' '}
        <${When} at=${until}>${dateTime(until)}<//>
      </span>
      <${Button}
        kind="small"
        disabled=${!mayForget}
        label=${`Forget the owner of ${name}`}
        onClick=${() => forget(name)}
        >Forget<//
      >
    </span>
  `
}

async function forget(name: string): Promise<void> {
  const isSure = await ask({
    title: `Forget the owner of ${name}?`,
    lines: [
      'The next look decides alone who owns the name: this daemon believes that owner, and remembers it.',
      'Do this only where you know that the remembered owner is wrong.'
    ],
    yes: 'Forget it',
    no: 'Keep it',
    isDanger: true
  })
  if (!isSure) return
  await remove(`/api/pins/${encodeURIComponent(name)}`)
  await refresh(`/api/explain/${encodeURIComponent(name)}`)
  toast(`The owner of ${name} is forgotten.`)
}
