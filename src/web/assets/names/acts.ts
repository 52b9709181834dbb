import type { OwnedNameView } from '../lib/api.ts'
import { html } from '../lib/html.ts'
import { post, remove } from '../lib/http.ts'
import { refresh } from '../lib/resource.ts'
import { useMay } from '../lib/session.ts'
import { dateTime } from '../lib/words.ts'
import { Button } from '../parts/basics.ts'
import { ask } from '../parts/dialog.ts'
import { toast } from '../parts/toasts.ts'
import { releaseQuestion } from '../questions.ts'
import { begin } from './register.ts'
import { releaseAct } from './words.ts'

const path = (name: string) => `/api/names/${encodeURIComponent(name)}/release` as const

async function release(owned: OwnedNameView): Promise<void> {
  if (!(await ask(releaseQuestion(owned, Date.now())))) return
  const { lease_end: end } = await post(path(owned.name))
  await refresh('/api/names')
  toast(`${owned.name} is released and lapses at ${dateTime(end)}. Until its grace ends you can take it back.`)
}

async function takeBack({ name }: OwnedNameView): Promise<void> {
  await remove(path(name))
  await refresh('/api/names')
  toast(`${name} is kept. The daemon renews it again.`)
}

/** Renew, release and take back, each with the question of the command line. */
export function NameButtons({ owned, kind = 'small' }: { owned: OwnedNameView; kind?: string }) {
  const may = useMay('vdf')
  const act = releaseAct(owned)
  const { name, renewal } = owned
  const isRunning = renewal.state === 'running' || renewal.state === 'paused'
  return html`
    <${Button}
      kind=${kind}
      icon="renew"
      label=${`Renew ${name}`}
      onClick=${() => begin('renew', name, owned)}
      disabled=${!may || isRunning || renewal.state === 'impossible'}
      >Renew<//
    >
    ${
      act === 'release' &&
      html`<${Button}
        kind=${kind}
        label=${`Release ${name}`}
        disabled=${!may || isRunning}
        onClick=${() => release(owned)}
        >Release<//
      >`
    }
    ${
      act === 'undo' &&
      html`<${Button} kind=${kind} label=${`Take ${name} back`} disabled=${!may} onClick=${() => takeBack(owned)}
        >Take back<//
      >`
    }
  `
}
