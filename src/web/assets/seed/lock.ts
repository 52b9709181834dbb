import type { SeedBody } from '../lib/api.ts'
import { h, html, useState } from '../lib/html.ts'
import { post } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { toast, useForm } from '../parts/act.ts'
import { Badge, Button, Card } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { ask } from '../parts/dialog.ts'
import { TextField } from '../parts/fields.ts'
import { seedNotice } from './words.ts'

const changed = () => refresh('/api/seed', '/api/backup', '/api/vdf', '/readyz')

interface LockProps {
  readonly seed: SeedBody
  readonly mayManage: boolean
}

/** Locking and unlocking the seed of the running daemon. */
export function Lock({ seed, mayManage }: LockProps) {
  const isLocked = seed.state === 'locked'
  const badge = h(Badge, { tone: isLocked ? 'warn' : 'good' }, isLocked ? 'locked' : 'unlocked')
  return html`
    <${Card} title="Lock" actions=${badge}>
      ${
        isLocked
          ? h(Locked, { seed, mayManage })
          : seed.sealed
            ? html`<div class="stack">
                <p>The daemon can sign. Lock it before others use this machine: look-ups and squaring go on.</p>
                <div>${h(Button, { disabled: !mayManage, onClick: lock }, 'Lock the seed')}</div>
              </div>`
            : html`<p>
                The seed has no passphrase, so it cannot be locked. <${Command} words="key passphrase" /> sets one while
                the daemon is stopped.
              </p>`
      }
    <//>
  `
}

async function lock(): Promise<void> {
  const isSure = await ask({
    title: 'Lock the seed?',
    lines: [
      'Until you unlock it with its passphrase, the daemon refuses new registrations and publishing.',
      'A running task waits at its end for the signature.'
    ],
    yes: 'Lock it',
    no: 'Not now'
  })
  if (!isSure) return
  await post('/api/seed/lock')
  await changed()
  toast('The seed is locked.')
}

/** The passphrase stays in no field after an attempt. */
function Locked({ seed, mayManage }: LockProps) {
  const [passphrase, setPassphrase] = useState('')
  const { error, isBusy, clearing, onSubmit } = useForm(async () => {
    if (passphrase === '') throw new Error('Type the passphrase.')
    setPassphrase('')
    await post('/api/seed/unlock', { passphrase })
    await changed()
    toast('The seed is unlocked. What waited goes on.')
  })
  const { lines, waiting } = seedNotice(seed)!
  return html`
    <div class="stack">
      <p>${lines[0]}</p>
      ${
        waiting.length > 0 &&
        html`<ul class="notes">
          ${waiting.map((line) => html`<li key=${line}>Waits: ${line}</li>`)}
        </ul>`
      }
      <form class="stack" onSubmit=${onSubmit}>
        ${h(TextField, {
          label: 'Passphrase',
          type: 'password',
          hint: isBusy && 'Checking it takes a second or two.',
          error,
          value: passphrase,
          disabled: !mayManage || isBusy,
          onInput: clearing(setPassphrase)
        })}
        ${h(Button, { kind: 'main', type: 'submit', busy: isBusy, disabled: !mayManage }, 'Unlock')}
      </form>
    </div>
  `
}
