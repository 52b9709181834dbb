import type { BackupView, SeedBody, WantedView } from '../lib/api.ts'
import { h, html, useNow, useState } from '../lib/html.ts'
import { post, remove } from '../lib/http.ts'
import { refresh, useResource } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { plural } from '../lib/words.ts'
import { isDid } from '../lookup/words.ts'
import { askedName, suffixOf } from '../names/words.ts'
import { backupState, checklist, COMMANDS, seedNotice } from '../seed/words.ts'
import { toast, useForm } from '../parts/act.ts'
import { Badge, Button, Card, facts, Lines, loaded, Notice, Page, When, type Tone } from '../parts/basics.ts'
import { Command } from '../parts/command.ts'
import { ask } from '../parts/dialog.ts'
import { AskForm, TextField } from '../parts/fields.ts'
import { Icon } from '../parts/icon.ts'
import { table } from '../parts/table.ts'

const LEAD = 'Your names belong to 24 words. If you lose them and all backups, nobody can give the names back.'

export function View() {
  const seed = useResource('/api/seed', { every: 10_000 })
  const backup = useResource('/api/backup', { every: 30_000 })
  const mayManage = useMay('admin')
  return html`
    <${Page} title="Backup & seed" lead=${LEAD} />
    <div class="stack">
      ${loaded(seed, (data) => h(Safety, { seed: data, backup: backup.data }))}
      <div class="grid">
        ${seed.data && h(Lock, { seed: seed.data, mayManage })}
        <${Card} title="A backup that keeps itself up to date">
          ${loaded(backup, ({ kept }) => h(Backup, { kept }))}
        <//>
      </div>
      <${Wanted} />
      ${commands()}
    </div>
  `
}

/** What is done, and what is left to do. `backup`: undefined while it is not read. */
function Safety({ seed, backup }: { seed: SeedBody; backup: BackupView | undefined }) {
  const now = useNow(30_000)
  const items = checklist(seed, backup?.kept, now)
  const left = items.filter(({ isDone, isAdvice }) => !isDone && !isAdvice).length
  const badge = h(Badge, { tone: left === 0 ? 'good' : 'bad' }, left === 0 ? 'kept elsewhere too' : `${left} to do`)
  return html`
    <${Card} title="How safe your names are" actions=${badge} tone=${seed.kept_elsewhere ? '' : 'warn'}>
      <ul class="checklist">
        ${items.map(
          ({ isDone, isAdvice, text, how }) =>
            html`<li class=${isDone ? 'good' : isAdvice ? '' : 'warn'} key=${text}>
              <span class="step-mark"><${Icon} name=${isDone ? 'check' : isAdvice ? 'info' : 'warn'} /></span>
              <div>
                <p>${isAdvice && !isDone && html`<strong>Advice: </strong>`}${text}</p>
                ${how.map((words) => html`<p key=${words}><${Command} words=${words} /></p>`)}
              </div>
            </li>`
        )}
      </ul>
    <//>
  `
}

const EXAMPLE = '[backup]\nfile = "/media/stick/chronym.age"\nrecipient = ["age1..."]'

/** The file that the daemon writes by itself; `kept` null where none is configured. */
function Backup({ kept }: Pick<BackupView, 'kept'>) {
  const now = useNow(10_000)
  const state = backupState(kept, now)
  if (kept === null || state === null)
    return html`<div class="stack">
      <p>The daemon can write an encrypted file after each change: a stick or a synchronised folder is a good place.</p>
      <p class="quiet"><code>age-keygen</code> makes the key that opens it. Then, in config.toml:</p>
      ${h(Lines, { text: EXAMPLE, label: 'Lines for config.toml', what: 'lines' })}
    </div>`
  const { tone, title, text } = state
  return html`
    <div class="stack">
      <${Notice} tone=${tone} title=${title}>${text}<//>
      ${facts([
        ['File', html`<code>${kept.file}</code>`],
        kept.written_at !== null && ['Written', h(When, { at: kept.written_at })],
        kept.failures > 0 && ['Failures', `${plural(kept.failures, 'attempt')} since the start`]
      ])}
    </div>
  `
}

const STATES: Readonly<Record<WantedView['state'], readonly [string, Tone]>> = {
  looking: ['looking', 'accent'],
  'not-found': ['not found yet', 'warn'],
  'other-owner': ['of another owner', 'bad'],
  offered: ['offered, not accepted yet', 'accent'],
  adopted: ['found', 'good']
}

/** After a restore from the words: names and identities of this seed that the network holds. */
function Wanted() {
  const wanted = useResource('/api/wanted', { every: 10_000, on: ['name:held'] })
  const zone = useResource('/api/dns', { every: Infinity }).data?.zone
  const disabled = !useMay('publish')
  return html`
    <${Card} title="Find your names in the network">
      <div class="stack">
        <p class="quiet">
          After a restore from the words, the daemon knows your keys but not your names. Type each one: it looks until
          it finds them.
        </p>
        ${h(AskForm, {
          label: 'Name or DID of yours',
          placeholder: 'alice.chronym',
          button: 'Find it',
          kind: '',
          disabled,
          ask: (text: string) => look(isDid(text) ? text : askedName(text, suffixOf(zone)))
        })}
        ${loaded(
          wanted,
          (rows) =>
            rows.length > 0 &&
            table({
              caption: 'Names and identities that the daemon looks for',
              rows,
              keyOf: ({ id }) => id,
              columns: [
                { title: 'Name or DID', cell: ({ id }) => html`<span class="mono">${id}</span>` },
                { title: 'State', cell: ({ state }) => h(Badge, { tone: STATES[state][1] }, STATES[state][0]) },
                { title: 'Last look', cell: ({ detail }) => detail }
              ],
              actionsOf: ({ id }) => {
                const label = `Stop looking for ${id}`
                return h(Button, { kind: 'small', disabled, label, onClick: () => stop(id) }, 'Stop')
              }
            })
        )}
      </div>
    <//>
  `
}

async function look(id: string): Promise<boolean> {
  if (id === '') throw new Error('Type a name or a DID that you owned.')
  const { state, detail } = await post('/api/wanted', { id })
  await wantedChanged()
  toast(detail, state === 'adopted' ? 'good' : '')
  return true
}

async function stop(id: string): Promise<void> {
  await remove(`/api/wanted/${encodeURIComponent(id)}`)
  await wantedChanged()
}

const wantedChanged = () => refresh('/api/wanted', '/api/names', '/api/identities')

/** The words never pass through a browser, so the rest is the command line's. */
const commands = () => html`
  <${Card} title="On the command line">
    <p class="quiet">The words and backups never pass through this page.</p>
    ${table({
      caption: 'Commands for seed and backup',
      rows: COMMANDS,
      keyOf: ([command]) => command,
      columns: [
        { title: 'Command', cell: ([words]) => h(Command, { words }) },
        { title: 'What it does', cell: ([, text]) => text }
      ]
    })}
  <//>
`

const changed = () => refresh('/api/seed', '/api/backup', '/api/vdf', '/readyz')

interface LockProps {
  readonly seed: SeedBody
  readonly mayManage: boolean
}

/** Locking and unlocking the seed of the running daemon. */
function Lock({ seed, mayManage }: LockProps) {
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
